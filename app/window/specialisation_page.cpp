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

QFileDialog* fileDialog(QWidget* parent, const QString& title, QFileDialog::AcceptMode mode, const QStringList& filters)
{
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(mode);
    dialog->setFileMode(mode == QFileDialog::AcceptSave ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setNameFilters(filters);
    return dialog;
}

} // namespace

SpecialisationPage::SpecialisationPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_messages(new MessageArea), m_view(new widgets::SpecialisationView),
      m_controller(workspace, *m_view)
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
    connect(&m_controller, &SpecialisationController::failed, this, [this](const QString& sentence) {
        m_messages->show({subject(), Message::Kind::Error, sentence});
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
    auto* form = new CorpusForm(core::trainingLength(*session->info()), m_former, this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &QDialog::accepted, this, [this, form] {
        m_messages->dismiss(subject());
        m_former = form->settings();
        m_controller.count(m_former);
    });
    form->open();
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
    QFileDialog* dialog =
        fileDialog(this, tr("Export a table"), QFileDialog::AcceptSave,
                   {tr("CSV (*.csv)"), tr("TSV (*.tsv)"), tr("JSON (*.json)"), tr("Markdown (*.md)"), tr("LaTeX (*.tex)")});
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const qsizetype dot = filter.indexOf(u'.');
        dialog->setDefaultSuffix(filter.mid(dot + 1, filter.size() - dot - 2));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this, table, allRouters](const QString& path) {
        m_controller.exportTable(path.toStdString(), table, allRouters);
    });
    dialog->open();
}

} // namespace headscope::app
