// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/series_page.h"

#include "app/cli/command_line.h"
#include "core/export/atomic_stream.h"
#include "core/export/series_export.h"
#include "core/trace/model_info.h"

#include <QFileDialog>
#include <QVBoxLayout>
#include <fmt/format.h>

#include <algorithm>

namespace headscope::app {

namespace {

QString subject()
{
    return QStringLiteral("series");
}

} // namespace

SeriesPage::SeriesPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_messages(new MessageArea), m_view(new widgets::SeriesView)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_view, 1);
    m_view->setSelection(&workspace.selection());
    connect(m_view, &widgets::SeriesView::openAsked, this, &SeriesPage::askFolder);
    connect(m_view, &widgets::SeriesView::runAsked, this, [this] { open(m_folder); });
    connect(m_view, &widgets::SeriesView::stopAsked, this, &SeriesPage::stop);
    connect(m_view, &widgets::SeriesView::exportAsked, this, &SeriesPage::askWhereToExport);
    connect(m_view, &widgets::SeriesView::memberAsked, this, &SeriesPage::showMember);
    connect(&workspace, &Workspace::textChanged, this,
            [this](const std::string& text) { m_view->setStale(m_shown && text != m_text); });
}

SeriesPage::~SeriesPage() = default;

void SeriesPage::say(Message::Kind kind, const QString& sentence)
{
    m_messages->show({subject(), kind, sentence});
}

void SeriesPage::askFolder()
{
    auto* dialog = new QFileDialog(this, tr("Open a run"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { open(path.toStdString()); });
    dialog->open();
}

void SeriesPage::askWhereToExport()
{
    auto* dialog = new QFileDialog(this, tr("Export the series"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(
        {tr("CSV (*.csv)"), tr("TSV (*.tsv)"), tr("JSON (*.json)"), tr("Markdown (*.md)"), tr("LaTeX (*.tex)")});
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        const qsizetype dot = filter.indexOf(u'.');
        dialog->setDefaultSuffix(filter.mid(dot + 1, filter.size() - dot - 2));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { exportTable(path.toStdString()); });
    dialog->open();
}

void SeriesPage::open(const std::filesystem::path& folder)
{
    m_wanted = folder;
    m_wantedText = m_workspace.text();
    m_messages->dismiss(subject());
    if (m_job.pending()) { // begins when that one has ended
        m_waiting = true;
        m_job.cancel();
        return;
    }
    start();
}

void SeriesPage::stop()
{
    m_waiting = false;
    m_job.cancel();
}

/// On the device of A, so that they do not hinder each other.
void SeriesPage::start()
{
    const CheckpointSession* current = m_workspace.checkpoints().current();
    const auto info = current ? current->info() : nullptr;
    core::OpenOptions options;
    options.device = info ? info->device : "cpu";
    const int run = ++m_run;
    const auto arrived = [this, run](SharedResult result) { // this outlives the job
        QMetaObject::invokeMethod(
            this,
            [this, run, result = std::move(result)] {
                if (run == m_run && m_job.pending())
                    showSeries(result);
            },
            Qt::QueuedConnection);
    };
    m_view->setProgress(0, tr("waiting"));
    m_job = m_workspace.compute()
                .device(options.device)
                .submit(
                    Priority::Corpus,
                    [folder = m_wanted, text = m_wantedText, options, opener = m_workspace.opener(),
                     arrived](const core::Progress& progress) -> SharedResult {
                        const auto inUse = std::make_shared<core::FilesInUse>(core::FilesInUse::Readers::ThisThread);
                        auto result = std::make_shared<Result>();
                        result->inUse = inUse;
                        result->files = core::findSeries(folder);
                        std::vector<core::SeriesMember> members;
                        for (const core::SeriesFile& file : result->files)
                            members.push_back({file.step, file.path.filename().string()});
                        const auto openMember = [&](std::size_t member, const core::Progress& inner) {
                            return opener(result->files[member].path, options, inner);
                        };
                        std::vector<core::SeriesStep> steps; // so far, ascending
                        core::SeriesHooks hooks;
                        hooks.progress = progress;
                        hooks.arrived = [&](const std::shared_ptr<const core::SeriesStep>& step) {
                            steps.insert(
                                std::ranges::upper_bound(steps, step->member.step, {},
                                                         [](const core::SeriesStep& other) { return other.member.step; }),
                                *step);
                            arrived(std::make_shared<const Result>(Result{
                                result->files, std::make_shared<const core::Series>(core::compareSteps(steps)), inUse}));
                        };
                        const auto all = core::runSeries(members, text, openMember, hooks);
                        inUse->stopAdding();
                        result->series = std::make_shared<const core::Series>(core::compareSteps(all));
                        return result;
                    },
                    this, [this](Outcome<SharedResult> outcome) { ended(std::move(outcome)); },
                    [this](const ProgressReport& report) { m_view->setProgress(report.fraction, report.stage); });
}

void SeriesPage::showSeries(const SharedResult& result)
{
    m_shown = result;
    m_folder = m_wanted;
    m_text = m_wantedText;
    const std::filesystem::path name = m_folder.has_filename() ? m_folder : m_folder.parent_path();
    const std::filesystem::path shown = name.parent_path().filename() / name.filename();
    m_view->setSeries(result->series, QString::fromStdString(shown.string()));
    m_view->setStale(m_text != m_workspace.text());
}

void SeriesPage::ended(Outcome<SharedResult> outcome)
{
    m_view->setProgress(std::nullopt);
    if (m_waiting) {
        m_waiting = false;
        return start();
    }
    if (auto* result = std::get_if<SharedResult>(&outcome))
        showSeries(*result);
    else if (const auto* failure = std::get_if<Failure>(&outcome))
        say(Message::Kind::Error, QString::fromStdString(failure->sentence));
    m_view->setProgress(std::nullopt);
}

void SeriesPage::showMember(int member, widgets::SeriesView::Target target)
{
    if (!m_shown || member < 0 || static_cast<std::size_t>(member) >= m_shown->series->members.size())
        return;
    const std::int64_t step = m_shown->series->members[static_cast<std::size_t>(member)].step;
    const auto file = std::ranges::find(m_shown->files, step, &core::SeriesFile::step);
    if (file != m_shown->files.end())
        m_workspace.open(file->path, {}, target == widgets::SeriesView::Target::A ? Slot::A : Slot::B);
}

void SeriesPage::exportTable(const std::filesystem::path& path)
{
    const auto format = core::tableFormat(path.extension().string());
    if (!format)
        return say(Message::Kind::Error,
                   tr("A table is written into a file whose name ends in .csv, .tsv, .json, .md or .tex; %1 does not.")
                       .arg(QString::fromStdString(path.filename().string())));
    if (!m_shown || m_writing.pending())
        return;
    m_writing = m_workspace.compute().files().submit(
        Priority::Overview,
        [path, format, series = m_shown->series](const core::Progress&) {
            core::AtomicStream file(path);
            core::writeSeries(file.stream(), *format, *series, fmt::format("Headscope {}", version()));
            file.commit();
            return true;
        },
        this,
        [this, path](const Outcome<bool>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                say(Message::Kind::Error, QString::fromStdString(failure->sentence));
            else if (std::holds_alternative<bool>(outcome))
                say(Message::Kind::Notice, tr("%1 is written.").arg(QString::fromStdString(path.string())));
        });
}

} // namespace headscope::app
