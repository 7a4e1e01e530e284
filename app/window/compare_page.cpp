// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_page.h"

#include <QFileDialog>
#include <QVBoxLayout>

namespace headscope::app {

namespace {

QString subject()
{
    return QStringLiteral("comparison");
}

QString suffixOf(const QString& filter)
{
    const qsizetype dot = filter.indexOf(u'.');
    return filter.mid(dot + 1, filter.size() - dot - 2);
}

/// The suffix follows the kind that is chosen.
QFileDialog* saveDialog(QWidget* parent, const QString& title, const QStringList& filters)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->setNameFilters(filters);
    dialog->setDefaultSuffix(suffixOf(filters.first()));
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog,
                     [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    return dialog;
}

} // namespace

ComparePage::ComparePage(Workspace& workspace, Comparer comparer, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_messages(new MessageArea), m_view(new widgets::CompareView),
      m_controller(workspace, *m_view, std::move(comparer)), m_writer(workspace),
      m_counts(workspace, *m_view, *m_view->corpus())
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_view, 1);
    auto* attention = new widgets::CompareAttention({&m_tilesA, &m_tilesB, &m_difference});
    connect(attention, &widgets::CompareAttention::mapsChosen, this, &ComparePage::chooseMaps);
    m_view->setAttention(attention);
    m_view->setSelection(&workspace.selection());
    connect(m_view, &widgets::CompareView::openSecondAsked, this, &ComparePage::openSecondAsked);
    connect(m_view, &widgets::CompareView::swapAsked, &workspace, &Workspace::swapSlots);
    connect(&m_controller, &CompareController::failed, this, [this](const QString& sentence) {
        m_messages->show({subject(), Message::Kind::Error, sentence});
    });
    connect(m_view, &widgets::CompareView::exportAsked, this, &ComparePage::askWhereToExport);
    connect(m_view, &widgets::CompareView::reportAsked, this, &ComparePage::askWhereToReport);
    connect(m_view->corpus(), &widgets::CompareCorpus::exportAsked, this, &ComparePage::askWhereToExportTokens);
    const auto said = [this](const QString& sentence) { m_messages->show({subject(), Message::Kind::Error, sentence}); };
    connect(&m_writer, &ComparisonWriter::failed, this, said);
    connect(&m_counts, &CompareCountsController::failed, this, said);
    const auto written = [this](const std::filesystem::path& path) {
        m_messages->show(
            {subject(), Message::Kind::Notice, tr("%1 is written.").arg(QString::fromStdString(path.string()))});
    };
    connect(&m_writer, &ComparisonWriter::written, this, written);
    connect(&m_counts, &CompareCountsController::written, this, written);
    connect(&m_controller, &CompareController::shown, this, [this] { m_messages->dismiss(subject()); });
}

/// Tiles are drawn where their model runs.
void ComparePage::chooseMaps(const widgets::ComparedModels& models, const std::optional<core::MapPair>& maps)
{
    const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
    const bool shown = maps && slotted.a && slotted.b;
    const widgets::ComparedModels of = shown ? models : widgets::ComparedModels();
    m_tilesA.setQueue(shown ? &slotted.a->queue() : nullptr);
    m_tilesB.setQueue(shown ? &slotted.b->queue() : nullptr);
    m_difference.setQueue(shown ? &slotted.a->queue() : nullptr);
    m_tilesA.setTrace(of.traces.a);
    m_tilesB.setTrace(of.traces.b);
    m_difference.setMaps(of.comparison, of.traces, maps.value_or(core::MapPair{}));
    std::erase_if(m_leaving, [](const Job& job) { return !job.pending(); });
    m_rows.cancel();
    m_leaving.push_back(std::move(m_rows));
    if (!shown)
        return;
    m_rows = slotted.a->queue().submit(
        Priority::Overview,
        [of, maps = *maps](const core::Progress& progress) {
            return std::make_shared<const core::AttentionComparison>(
                core::compareAttention(of.traces, of.comparison->alignment, maps, progress));
        },
        this,
        [this, maps](Outcome<std::shared_ptr<const core::AttentionComparison>> outcome) {
            if (m_view->attention()->maps() != maps)
                return;
            if (auto* rows = std::get_if<std::shared_ptr<const core::AttentionComparison>>(&outcome))
                m_view->attention()->setRows(std::move(*rows));
        });
}

bool ComparePage::idle() const
{
    return m_controller.idle() && m_writer.idle() && m_counts.idle() && !m_rows.pending() &&
           m_tilesA.outstanding() + m_tilesB.outstanding() + m_difference.outstanding() == 0;
}

void ComparePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_controller.refresh();
}

void ComparePage::askWhereToExport(core::ComparisonTable table)
{
    QFileDialog* dialog = saveDialog(
        this, tr("Export the comparison"),
        {tr("CSV (*.csv)"), tr("TSV (*.tsv)"), tr("JSON, everything (*.json)"), tr("Markdown (*.md)"), tr("LaTeX (*.tex)")});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, table](const QString& path) { m_writer.writeTable(path.toStdString(), table, m_view->models()); });
    dialog->open();
}

void ComparePage::askWhereToExportTokens()
{
    QFileDialog* dialog =
        saveDialog(this, tr("Export the tokens of matched experts"),
                   {tr("CSV (*.csv)"), tr("TSV (*.tsv)"), tr("JSON (*.json)"), tr("Markdown (*.md)"), tr("LaTeX (*.tex)")});
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { m_counts.exportTable(path.toStdString()); });
    dialog->open();
}

void ComparePage::askWhereToReport()
{
    QFileDialog* dialog = saveDialog(this, tr("Report of the comparison"), {tr("PDF (*.pdf)"), tr("Markdown (*.md)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_writer.writeReport(path.toStdString(), m_view->pair().value_or(0), m_view->models());
    });
    dialog->open();
}

CompareChoices ComparePage::choices() const
{
    return {m_view->tint(), m_view->onlyDifferences(), m_view->matching()};
}

void ComparePage::setChoices(const CompareChoices& choices)
{
    m_view->setTint(choices.tint);
    m_view->setOnlyDifferences(choices.onlyDifferences);
    m_controller.setMatching(choices.matching);
}

} // namespace headscope::app
