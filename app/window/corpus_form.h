// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/count_corpus.h"

#include <QDialog>

#include <cstdint>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace headscope::app {

/// Asks what is to be counted, and how: files and folders, how they are cut into documents, tags, the window.
class CorpusForm : public QDialog
{
    Q_OBJECT

public:
    enum class Purpose { Count, Contexts }; // Contexts: the texts of counts that were opened from a file
    /// `trained` is the length of the windows of training; without it one has to be given.
    CorpusForm(std::optional<std::int64_t> trained, const core::CountSettings& former, Purpose purpose, QWidget* parent = nullptr);

    core::CountSettings settings() const;
    /// Offers to go on with what was begun; `sentence` says what it is.
    void offer(const QString& sentence);
    /// The user took the offer: settings() do not matter.
    bool goesOn() const { return m_goesOn; }
    void addPaths(const QStringList& paths);

private:
    QWidget* makeOffer();
    QWidget* makeFiles();
    QWidget* makeDocuments();
    QWidget* makeTags();
    void ask(bool folder);
    void check();

    bool m_goesOn = false;
    QWidget* m_offer = nullptr;
    QLabel* m_offered = nullptr;
    QListWidget* m_files = nullptr;
    QComboBox* m_documents = nullptr;
    QLineEdit* m_literal = nullptr;
    QLineEdit* m_jsonField = nullptr;
    QLineEdit* m_tags = nullptr;
    QSpinBox* m_window = nullptr;
    QSpinBox* m_skipFirst = nullptr;
    QCheckBox* m_words = nullptr;
    QPushButton* m_accept = nullptr;
};

} // namespace headscope::app
