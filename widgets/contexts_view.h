// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/contexts.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace headscope::widgets {

class ContextItemModel;

/// How far a search is.
struct SearchState {
    double fraction = 0;
    QString text; // "running windows, 120 of 400"
};

/// Keyword in context: where a row of the tables comes from. It shows what it is given; the search is the business of who
/// made it.
class ContextsView : public QWidget
{
    Q_OBJECT

public:
    explicit ContextsView(QWidget* parent = nullptr);

    /// `row` says what was looked for: "␣the". nullptr: none yet.
    void setContexts(std::shared_ptr<const core::Contexts> contexts, const QString& row, std::optional<int> expert);
    /// nullopt: nothing is being looked for.
    void setSearching(const std::optional<SearchState>& state);
    /// What is to be known about these contexts; empty for nothing.
    void setNote(const QString& sentence);

    const std::shared_ptr<const core::Contexts>& contexts() const { return m_contexts; }
    ContextItemModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }
    /// What was looked for.
    const QString& row() const { return m_row; }
    std::optional<int> expert() const { return m_expert; }
    QString title() const;
    QString note() const;
    bool searching() const { return m_isSearching; }

Q_SIGNALS:
    /// Its passage is to be shown in the text editor.
    void activated(const headscope::core::Context& context);
    void stopAsked();
    void exportAsked();
    void closeAsked();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeHeader();
    void makeTable();
    void widenColumns();
    void showWhat();

    std::shared_ptr<const core::Contexts> m_contexts;
    QString m_row;
    std::optional<int> m_expert;
    bool m_isSearching = false;
    ContextItemModel* m_model;
    QLabel* m_title = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_note = nullptr;
    QLabel* m_progressText = nullptr;
    QProgressBar* m_progress = nullptr;
    QWidget* m_search = nullptr;
    QPushButton* m_export = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace headscope::widgets
