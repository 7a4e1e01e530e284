// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/corpus_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace headscope::app {

namespace {

using Kind = core::DocumentSplit::Kind;

QString shown(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

CorpusForm::CorpusForm(std::optional<std::int64_t> trained, const core::CountSettings& former, Purpose purpose,
                       QWidget* parent)
    : QDialog(parent)
{
    const bool counts = purpose == Purpose::Count;
    setWindowTitle(counts ? tr("Count a corpus") : tr("The texts that were counted"));
    auto* about = new QLabel(
        counts ? tr("The checkpoint runs over the texts, and what every router chooses for every token is counted. Texts that "
                    "it was not trained on tell more.")
               : tr("These counts were opened from a file, which does not hold the texts. Contexts are found in the texts "
                    "themselves: give those that were counted. Documents and windows are set as in the counts."));
    about->setWordWrap(true);
    m_window = new QSpinBox;
    m_window->setObjectName(QStringLiteral("window"));
    m_window->setRange(trained ? 0 : 1, 1 << 24);
    m_window->setSpecialValueText(trained ? tr("a segment (%1)").arg(*trained) : QString());
    m_window->setValue(static_cast<int>(former.window));
    m_window->setSuffix(tr(" tokens"));
    m_skipFirst = new QSpinBox;
    m_skipFirst->setObjectName(QStringLiteral("skipFirst"));
    m_skipFirst->setRange(0, (1 << 24) - 1);
    m_skipFirst->setSpecialValueText(tr("none"));
    m_skipFirst->setValue(static_cast<int>(former.skipFirst));
    m_words = new QCheckBox(tr("Count &words too, beside the pieces of the vocabulary"));
    m_words->setChecked(former.words);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_accept = buttons->addButton(counts ? tr("&Count") : tr("&Find contexts"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* form = new QFormLayout;
    form->addRow(tr("&Texts"), makeFiles());
    form->addRow(tr("&Documents"), makeDocuments());
    m_jsonField = new QLineEdit;
    m_jsonField->setObjectName(QStringLiteral("jsonField"));
    m_jsonField->setPlaceholderText(tr("none; of .jsonl files the field that is the text, each line is a document"));
    m_jsonField->setText(QString::fromStdString(former.documents.jsonField));
    form->addRow(tr("Field of &JSON"), m_jsonField);
    QWidget* tags = makeTags();
    form->addRow(tr("Ta&gs"), tags);
    form->addRow(tr("W&indow"), m_window);
    form->addRow(tr("&Leave out the first"), m_skipFirst);
    form->addRow(QString(), m_words);
    form->setRowVisible(tags, counts);
    form->setRowVisible(m_words, counts);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_offer = makeOffer());
    column->addWidget(about);
    column->addLayout(form);
    column->addWidget(buttons);
    setMinimumWidth(560);

    m_documents->setCurrentIndex(m_documents->findData(static_cast<int>(former.documents.kind)));
    m_literal->setText(QString::fromStdString(former.documents.literal));
    m_tags->setText(shown(former.tags));
    for (const auto& path : former.corpus)
        m_files->addItem(shown(path));
    check();
}

QWidget* CorpusForm::makeOffer()
{
    m_offered = new QLabel;
    m_offered->setWordWrap(true);
    m_offered->setTextFormat(Qt::PlainText);
    auto* goOn = new QPushButton(tr("&Go on with it"));
    goOn->setObjectName(QStringLiteral("goOn"));
    goOn->setAutoDefault(false);
    connect(goOn, &QPushButton::clicked, this, [this] {
        m_goesOn = true;
        accept();
    });
    auto* offer = new QFrame;
    offer->setFrameShape(QFrame::StyledPanel);
    auto* line = new QHBoxLayout(offer);
    line->addWidget(m_offered, 1);
    line->addWidget(goOn);
    offer->hide();
    return offer;
}

void CorpusForm::offer(const QString& sentence)
{
    m_offered->setText(sentence);
    m_offer->show();
}

QWidget* CorpusForm::makeFiles()
{
    m_files = new QListWidget;
    m_files->setObjectName(QStringLiteral("files"));
    m_files->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_files->setMinimumHeight(90);
    m_files->setAccessibleName(tr("Files and folders of the corpus"));
    auto* buttons = new QHBoxLayout;
    const auto add = [this, buttons](const QString& text, auto act) {
        auto* button = new QPushButton(text);
        button->setAutoDefault(false);
        buttons->addWidget(button);
        connect(button, &QPushButton::clicked, this, act);
    };
    add(tr("Add &files…"), [this] { ask(false); });
    add(tr("Add f&older…"), [this] { ask(true); });
    add(tr("&Remove"), [this] {
        qDeleteAll(m_files->selectedItems());
        check();
    });
    buttons->addStretch(1);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_files, 1);
    column->addLayout(buttons);
    return page;
}

QWidget* CorpusForm::makeDocuments()
{
    m_documents = new QComboBox;
    m_documents->setObjectName(QStringLiteral("documents"));
    m_documents->addItem(tr("every file is one"), static_cast<int>(Kind::File));
    m_documents->addItem(tr("blank lines lie between them"), static_cast<int>(Kind::Blank));
    m_documents->addItem(tr("every line is one"), static_cast<int>(Kind::Line));
    m_documents->addItem(tr("this lies between them:"), static_cast<int>(Kind::Literal));
    m_literal = new QLineEdit;
    m_literal->setObjectName(QStringLiteral("literal"));
    m_literal->setPlaceholderText(QStringLiteral("<STORY_SEP>"));
    connect(m_documents, &QComboBox::currentIndexChanged, this, &CorpusForm::check);
    connect(m_literal, &QLineEdit::textChanged, this, &CorpusForm::check);
    auto* page = new QWidget;
    auto* line = new QHBoxLayout(page);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_documents);
    line->addWidget(m_literal, 1);
    return page;
}

QWidget* CorpusForm::makeTags()
{
    m_tags = new QLineEdit;
    m_tags->setObjectName(QStringLiteral("tags"));
    m_tags->setPlaceholderText(tr("none; a file of lines: [document,] begin, end, tag, with tabs between"));
    auto* choose = new QPushButton(tr("Choose…"));
    choose->setAutoDefault(false);
    connect(choose, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Choose a file of tags"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, m_tags, &QLineEdit::setText);
        dialog->open();
    });
    auto* page = new QWidget;
    auto* line = new QHBoxLayout(page);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_tags, 1);
    line->addWidget(choose);
    return page;
}

void CorpusForm::ask(bool folder)
{
    auto* dialog = new QFileDialog(this, folder ? tr("Add a folder of texts") : tr("Add texts"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
    dialog->setOption(QFileDialog::ShowDirsOnly, folder);
    connect(dialog, &QFileDialog::filesSelected, this, &CorpusForm::addPaths);
    dialog->open();
}

void CorpusForm::addPaths(const QStringList& paths)
{
    for (const QString& path : paths)
        if (m_files->findItems(path, Qt::MatchExactly | Qt::MatchCaseSensitive).isEmpty())
            m_files->addItem(path);
    check();
}

void CorpusForm::check()
{
    const bool literal = m_documents->currentData().toInt() == static_cast<int>(Kind::Literal);
    m_literal->setVisible(literal);
    const bool complete = m_files->count() > 0 && !(literal && m_literal->text().isEmpty());
    m_accept->setEnabled(complete);
}

core::CountSettings CorpusForm::settings() const
{
    core::CountSettings settings;
    for (int row = 0; row < m_files->count(); ++row)
        settings.corpus.emplace_back(m_files->item(row)->text().toStdString());
    settings.documents.kind = static_cast<Kind>(m_documents->currentData().toInt());
    if (settings.documents.kind == Kind::Literal)
        settings.documents.literal = m_literal->text().toStdString();
    settings.documents.jsonField = m_jsonField->text().toStdString();
    settings.tags = m_tags->text().toStdString();
    settings.window = m_window->value();
    settings.skipFirst = m_skipFirst->value();
    settings.words = m_words->isChecked();
    return settings;
}

} // namespace headscope::app
