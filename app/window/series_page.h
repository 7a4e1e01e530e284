// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/message_area.h"
#include "app/window/workspace.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/series_folder.h"
#include "core/compare/series.h"
#include "widgets/series_view.h"

#include <QWidget>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace headscope::app {

/// The Series page: the checkpoints of a run on the text, opened and run one after the other behind everything else its
/// device has to do. What fails or is stopped leaves what was shown.
class SeriesPage : public QWidget
{
    Q_OBJECT

public:
    /// The workspace outlives it.
    explicit SeriesPage(Workspace& workspace, QWidget* parent = nullptr);
    ~SeriesPage() override;

    /// The folder with the checkpoints of a run, on the text as it is now.
    void open(const std::filesystem::path& folder);
    void stop();
    /// The format is that of the file's extension.
    void exportTable(const std::filesystem::path& path);

    widgets::SeriesView& view() { return *m_view; }
    MessageArea& messages() { return *m_messages; }
    /// Nothing runs or is written.
    bool idle() const { return !m_job.pending() && !m_writing.pending(); }

private:
    struct Result {
        std::vector<core::SeriesFile> files;
        std::shared_ptr<const core::Series> series;
        std::shared_ptr<const core::FilesInUse> inUse; // what the run was read from
    };
    using SharedResult = std::shared_ptr<const Result>;

    void askFolder();
    void askWhereToExport();
    void start();
    void showSeries(const SharedResult& result);
    void ended(Outcome<SharedResult> outcome);
    void showMember(int member, widgets::SeriesView::Target target);
    void say(Message::Kind kind, const QString& sentence);

    Workspace& m_workspace;
    MessageArea* m_messages;
    widgets::SeriesView* m_view;
    std::filesystem::path m_wanted; // folder that runs, or runs next
    std::string m_wantedText;
    bool m_waiting = false; // m_wanted runs when the job that was cancelled has ended
    int m_run = 0;
    SharedResult m_shown;
    std::filesystem::path m_folder; // of m_shown
    std::string m_text;             // of m_shown
    Job m_writing;                  // the jobs are last: they end before anything they deliver to
    Job m_job;
};

} // namespace headscope::app
