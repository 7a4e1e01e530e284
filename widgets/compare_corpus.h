// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/token_difference_item_model.h"

#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace headscope::widgets {

/// What the matched experts of a pair of routers specialise in over a corpus that both models were counted on: PMI of A and
/// of B beside each other, and the difference. Shows what it is given.
class CompareCorpus : public QWidget
{
    Q_OBJECT

public:
    explicit CompareCorpus(QWidget* parent = nullptr);

    void setTokens(std::shared_ptr<const ComparedTokens> tokens);
    /// In place of a table.
    void setMessage(const QString& sentence);

    TokenDifferenceItemModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }
    QString summary() const;
    QString message() const; // empty when a table is shown

Q_SIGNALS:
    void exportAsked();
    /// It has come to the front.
    void shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    TokenDifferenceItemModel* m_model;
    QLabel* m_summary;
    QTableView* m_table;
    QLabel* m_message;
    QStackedLayout* m_stack;
};

} // namespace headscope::widgets
