// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/specialisation_page.h"

#include "app/window/corpus_form.h"

#include <QFileDialog>
#include <QVBoxLayout>

namespace headscope::app {

namespace {

QString subject()
{
    return QStringLiteral("counts");
}

QString contextsSubject()
{
    return QStringLiteral("contexts");
}

/// As the counts say: documents, windows. `former` is what the user chose last.
core::CountSettings likeThe(const core::CountBasis& counted, const core::CountSettings& former)
{
    core::CountSettings settings = former;
    if (const auto documents = core::documentSplitFromString(counted.documents))
        settings.documents = *documents;
    settings.documents.jsonField = counted.jsonField;
    settings.window = counted.window;
    settings.skipFirst = counted.skipFirst;
    return settings;
}

QFileDialog* fileDialog(QWidget* parent, const QString& title, QFileDialog::AcceptMode mode, const QStringList& filters)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(mode);
    dialog->setFileMode(mode == QFileDialog::AcceptSave ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setNameFilters(filters);
    return dialog;
}

/// For a table, in the format of the name's end.
QFileDialog* tableDialog(QWidget* parent, const QString& title)
{
    QFileDialog* dialog = fileDialog(parent, title, QFileDialog::AcceptSave,
                                     {SpecialisationPage::tr("CSV (*.csv)"), SpecialisationPage::tr("TSV (*.tsv)"),
                                      SpecialisationPage::tr("JSON (*.json)"), SpecialisationPage::tr("Markdown (*.md)"),
                                      SpecialisationPage::tr("LaTeX (*.tex)")});
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const qsizetype dot = filter.indexOf(u'.');
        dialog->setDefaultSuffix(filter.mid(dot + 1, filter.size() - dot - 2));
    });
    return dialog;
}

/// "corpus.txt and 3 more"
QString textsOf(const core::CountSettings& settings)
{
    const QString first = QString::fromStdString(settings.corpus.front().filename().string());
    const auto more = static_cast<int>(settings.corpus.size()) - 1;
    return more == 0 ? first : SpecialisationPage::tr("%1 and %2 more").arg(first).arg(more);
}

} // namespace

SpecialisationPage::SpecialisationPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_messages(new MessageArea), m_view(new widgets::SpecialisationView),
      m_controller(workspace, *m_view), m_contexts(workspace, *m_view->contexts())
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_view, 1);
    m_view->setSelection(&workspace.selection());
    connect(m_view, &widgets::SpecialisationView::countAsked, this, &SpecialisationPage::askCorpus);
    connect(m_view, &widgets::SpecialisationView::openAsked, this, &SpecialisationPage::askCounts);
    connect(m_view, &widgets::SpecialisationView::saveAsked, this, &SpecialisationPage::askWhereToSave);
    connect(m_view, &widgets::SpecialisationView::exportAsked, this, &SpecialisationPage::askWhereToExport);
    connect(m_view, &widgets::SpecialisationView::contextsAsked, this, &SpecialisationPage::askContexts);
    connect(m_view->contexts(), &widgets::ContextsView::activated, this, &SpecialisationPage::showInEditor);
    connect(m_view->contexts(), &widgets::ContextsView::closeAsked, &m_contexts, &ContextsController::clear);
    connect(&workspace.checkpoints(), &CheckpointListItemModel::currentChanged, m_view,
            &widgets::SpecialisationView::closeContexts);
    connect(m_view->contexts(), &widgets::ContextsView::exportAsked, this, &SpecialisationPage::askWhereToExportContexts);
    connect(&m_contexts, &ContextsController::written, &m_controller, &SpecialisationController::written);
    connect(&m_contexts, &ContextsController::notWritten, &m_controller, &SpecialisationController::failed);
    connect(&m_contexts, &ContextsController::failed, this, [this](const QString& sentence) {
        m_controller.setCorpus(std::nullopt); // it may be why: the next search asks for it
        m_messages->show({contextsSubject(), Message::Kind::Error, sentence});
    });
    connect(&m_controller, &SpecialisationController::failed, this, [this](const QString& sentence) {
        m_messages->show({subject(), Message::Kind::Error, sentence});
    });
    connect(&m_controller, &SpecialisationController::noted, this, [this](const QStringList& sentences) {
        m_messages->show({subject(), Message::Kind::Notice, sentences.join(QLatin1Char(' '))});
    });
    connect(&m_controller, &SpecialisationController::written, this, [this](const std::filesystem::path& path) {
        m_messages->show(
            {subject(), Message::Kind::Notice, tr("%1 is written.").arg(QString::fromStdString(path.string()))});
    });
}

void SpecialisationPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_controller.refresh();
}

void SpecialisationPage::askCorpus()
{
    const CheckpointSession* session = m_workspace.checkpoints().current();
    if (!session || !session->info()) {
        m_messages->show(
            {subject(), Message::Kind::Notice, tr("Open the checkpoint first that the corpus is to be counted by.")});
        return;
    }
    auto* form = new CorpusForm(core::trainingLength(*session->info()), m_former, CorpusForm::Purpose::Count, this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    const auto unfinished = m_controller.unfinished();
    if (unfinished)
        form->offer(tr("A count of %1 was begun and not finished; about %2\u00a0% is done. Counting something else by this "
                       "checkpoint gives it up.")
                        .arg(textsOf(unfinished->settings), QString::number(static_cast<int>(100 * unfinished->fraction))));
    connect(form, &QDialog::accepted, this, [this, form, unfinished] {
        m_messages->dismiss(subject());
        m_former = form->goesOn() ? unfinished->settings : form->settings();
        m_controller.count(m_former);
        m_former.resume = false;
        m_former.partial.clear();
    });
    form->open();
}

void SpecialisationPage::askContexts(const widgets::PairInQuestion& pair)
{
    const CheckpointSession* session = m_workspace.checkpoints().current();
    if (!session || !session->info() || !m_view->counts())
        return;
    m_messages->dismiss(contextsSubject());
    if (!session->hasTokenizer()) {
        m_messages->show({contextsSubject(), Message::Kind::Error,
                          tr("%1 has no tokenizer beside it; choose the one it was trained with (File, Choose tokenizer…).")
                              .arg(session->name())
                              + (session->info()->withoutTokenizer.empty() ? QString()
                                                                           : QStringLiteral(" ") + QString::fromStdString(session->info()->withoutTokenizer))});
        return;
    }
    if (m_controller.corpus())
        return findContexts(pair);
    auto* form = new CorpusForm(core::trainingLength(*session->info()), likeThe(m_view->counts()->basis, m_former),
                                CorpusForm::Purpose::Contexts, this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &QDialog::accepted, this, [this, form, pair, counts = m_view->counts()] {
        if (m_view->counts() != counts)
            return; // of another checkpoint, or newer ones
        m_former = form->settings();
        m_controller.setCorpus(m_former);
        findContexts(pair);
    });
    form->open();
}

void SpecialisationPage::findContexts(const widgets::PairInQuestion& pair)
{
    const auto& statistics = m_view->statistics();
    const auto corpus = m_controller.corpus();
    if (!statistics || !corpus || pair.row >= statistics->table.rowsCount())
        return;
    m_view->openContexts();
    m_contexts.find({pair, statistics, m_view->counts(), m_controller.completeness(), *corpus});
}

void SpecialisationPage::showInEditor(const core::Context& context)
{
    m_messages->dismiss(contextsSubject());
    if (context.passage.remembers)
        m_messages->show({contextsSubject(), Message::Kind::Notice,
                          tr("In the corpus the model remembered what stands before this passage. Alone, it is decided "
                             "without that memory, and "
                             "gates and choices can be others.")});
    else if (!context.passage.sameTokens)
        m_messages->show({contextsSubject(), Message::Kind::Notice,
                          tr("The window of this context begins inside of a word. Alone, the passage begins with other "
                             "tokens than it had "
                             "in the corpus, and the choice can be another one.")});
    Q_EMIT contextChosen(context);
}

void SpecialisationPage::askWhereToExportContexts()
{
    QFileDialog* dialog = tableDialog(this, tr("Export contexts"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { m_contexts.exportTable(path.toStdString()); });
    dialog->open();
}

void SpecialisationPage::askCounts()
{
    QFileDialog* dialog =
        fileDialog(this, tr("Open counts"), QFileDialog::AcceptOpen, {tr("Counts (*.counts)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_messages->dismiss(subject());
        m_controller.openCounts(path.toStdString());
    });
    dialog->open();
}

void SpecialisationPage::askWhereToSave()
{
    QFileDialog* dialog = fileDialog(this, tr("Save counts"), QFileDialog::AcceptSave, {tr("Counts (*.counts)")});
    dialog->setDefaultSuffix(QStringLiteral("counts"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { m_controller.saveCounts(path.toStdString()); });
    dialog->open();
}

void SpecialisationPage::askWhereToExport(core::StatisticsTable table, bool allRouters)
{
    QFileDialog* dialog = tableDialog(this, tr("Export a table"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, table, allRouters](const QString& path) {
        m_controller.exportTable(path.toStdString(), table, allRouters);
    });
    dialog->open();
}

} // namespace headscope::app
