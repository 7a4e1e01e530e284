// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/comparison_writer.h"

#include "app/cli/command_line.h"
#include "app/figures/report_pdf.h"
#include "core/families/model.h"
#include "core/export/atomic_stream.h"
#include "core/export/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::app {

namespace {

/// A checkpoint as it was when it was opened.
struct Opened {
    std::filesystem::path path;
    FileStamp stamp;

    std::string fingerprint(const core::Progress& progress) const
    {
        if (FileStamp::of(path) != stamp)
            throw core::Error(
                fmt::format("{} has changed on disk since it was opened; open it again before its comparison is written.",
                            path.string()));
        return core::modelFingerprint(path, {}, progress);
    }
};

} // namespace

ComparisonWriter::ComparisonWriter(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {}

ComparisonWriter::~ComparisonWriter() = default;

template <class Work>
void ComparisonWriter::write(const std::filesystem::path& path, const widgets::ComparedModels& models, Work work)
{
    const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
    if (!models.valid() || !slotted.a || !slotted.b)
        return;
    const Opened a{slotted.a->path(), slotted.a->stamp()};
    const Opened b{slotted.b->path(), slotted.b->stamp()};
    std::erase_if(m_writing, [](const Job& job) { return !job.pending(); });
    m_writing.push_back(m_workspace.compute().files().submit(
        Priority::Overview,
        [a, b, models, work = std::move(work)](const core::Progress& progress) {
            core::ComparisonExport what;
            what.program = fmt::format("Headscope {}", version());
            what.fingerprintA = a.fingerprint(progress);
            what.fingerprintB = b.fingerprint(progress);
            what.traces = models.traces;
            work(*models.comparison, what);
            return true;
        },
        this,
        [this, path](const Outcome<bool>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                Q_EMIT failed(QString::fromStdString(failure->sentence));
            else if (std::holds_alternative<bool>(outcome))
                Q_EMIT written(path);
        }));
}

void ComparisonWriter::writeTable(const std::filesystem::path& path, core::ComparisonTable table,
                                  const widgets::ComparedModels& models)
{
    const auto format = core::tableFormat(path.extension().string());
    if (!format)
        return Q_EMIT failed(
            tr("A comparison is written into a file whose name ends in .json, .csv, .tsv, .md or .tex; %1 does not.")
                .arg(QString::fromStdString(path.filename().string())));
    write(path, models, [path, table, format](const core::Comparison& comparison, const core::ComparisonExport& what) {
        core::AtomicStream file(path);
        if (format == core::TableFormat::Json)
            core::writeComparisonJson(file.stream(), comparison, what);
        else
            core::writeComparisonTable(file.stream(), *format, table, comparison, what);
        file.commit();
    });
}

void ComparisonWriter::writeReport(const std::filesystem::path& path, std::size_t pair,
                                   const widgets::ComparedModels& models)
{
    const std::string extension = path.extension().string();
    if (extension != ".md" && extension != ".pdf")
        return Q_EMIT failed(tr("A report is written into a file whose name ends in .pdf or .md; %1 does not.")
                                 .arg(QString::fromStdString(path.filename().string())));
    write(path, models, [path, pair, extension](const core::Comparison& comparison, const core::ComparisonExport& what) {
        std::vector<std::size_t> strips;
        if (pair < comparison.routers.size())
            strips.push_back(pair);
        const core::Report report = core::comparisonReport(comparison, what, strips);
        if (extension == ".pdf")
            return writeReportPdf(path, report);
        core::AtomicStream file(path);
        file.stream() << core::reportMarkdown(report);
        file.commit();
    });
}

bool ComparisonWriter::idle() const
{
    return std::ranges::none_of(m_writing, &Job::pending);
}

} // namespace headscope::app
