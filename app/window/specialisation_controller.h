// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/unfinished_counts.h"
#include "app/window/workspace.h"
#include "core/checkpoint/files_in_use.h"
#include "core/corpus/count_corpus.h"
#include "core/export/statistics_export.h"
#include "widgets/specialisation_view.h"

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::app {

/// What the Specialisation page shows, and the work behind it: counting a corpus by the current checkpoint, reading and
/// writing counts, the statistics of the chosen router, exported tables. All of it runs in the background; what fails leaves
/// what was shown.
class SpecialisationController : public QObject
{
    Q_OBJECT

public:
    /// Both outlive it.
    SpecialisationController(Workspace& workspace, widgets::SpecialisationView& view, QObject* parent = nullptr);
    ~SpecialisationController() override;

    /// Counts by the current checkpoint, behind everything else its device has to do; one corpus at a time. Its tables can
    /// be looked at while it runs.
    void count(core::CountSettings settings);
    /// From now on counts that are stopped, or whose program ends, are kept there.
    void keepUnfinishedIn(const std::filesystem::path& folder) { m_unfinished = UnfinishedCounts(folder); }
    /// What was begun by the current checkpoint and has not been finished; with its settings count() goes on.
    std::optional<UnfinishedCount> unfinished() const;
    void stopCounting();
    bool counting() const { return m_run.has_value(); }
    /// Counts of the current checkpoint (its fingerprint decides).
    void openCounts(const std::filesystem::path& path);
    void saveCounts(const std::filesystem::path& path);
    /// With the filter, the minimum count and the options of the view. The format is that of the file's extension.
    void exportTable(const std::filesystem::path& path, core::StatisticsTable table, bool allRouters);
    /// The statistics of what is chosen, unless they are shown already; nothing while the view is hidden.
    void refresh();

    /// The texts that the counts shown are of: known where they were counted here, or where they were given since.
    std::optional<core::CountSettings> corpus() const;
    void setCorpus(std::optional<core::CountSettings> corpus);
    /// Of the counts shown.
    widgets::Completeness completeness() const;

    /// Of a whole corpus; nullptr when there are none of this checkpoint.
    std::shared_ptr<const core::Counts> countsOf(const CheckpointSession* session) const;

    /// Nothing runs or waits.
    bool idle() const;

Q_SIGNALS:
    void failed(const QString& sentence);
    void written(const std::filesystem::path& path);
    /// What may surprise in the files and texts of a corpus that has been counted: sentences.
    void noted(const QStringList& sentences);
    /// countsOf() may be others for some checkpoint.
    void countsChanged();

private:
    struct Held {
        std::shared_ptr<const core::Counts> counts;
        widgets::Completeness completeness = widgets::Completeness::Whole;
        QString about;
        std::optional<core::CountSettings> corpus = {};
        std::shared_ptr<const core::FilesInUse> files = {}; // the corpus, or the file they were opened from
    };
    struct Run {
        QPointer<CheckpointSession> session;
        std::filesystem::path checkpoint;
        int number = 0;
        widgets::CountingState state;
        Held former; // comes back when the run does not end
        core::CountSettings settings;
        double counted = 0; // of the corpus, since long ago where it goes on; reading it again does not count
    };
    /// What the statistics that are shown, or computed, are of.
    struct Wanted {
        std::shared_ptr<const core::Counts> counts;
        core::RouterAddress router;
        widgets::StatisticsChoice choice;
        bool operator==(const Wanted&) const = default;
    };

    CheckpointSession* session() const { return m_workspace.checkpoints().current(); }
    const Held* held() const;
    Held heldOf(const CheckpointSession* session) const;
    void hold(const CheckpointSession* session, Held held);
    void forget(const CheckpointSession* session);
    void showCurrent();
    void showCounting();
    void partialArrived(int run, std::shared_ptr<const core::Counts> counts);
    void countingEnded(Outcome<std::shared_ptr<const core::Counts>> outcome);
    std::optional<Wanted> wanted() const;
    void statisticsArrived(Outcome<std::shared_ptr<const widgets::RouterStatistics>> outcome);
    core::StatisticsExport exported(const core::Counts& counts, bool allRouters) const;
    template <class Work>
    void write(const std::filesystem::path& path, Work work);

    Workspace& m_workspace;
    widgets::SpecialisationView& m_view;
    UnfinishedCounts m_unfinished;
    std::map<const CheckpointSession*, Held> m_held;
    std::optional<Run> m_run;
    int m_runs = 0;
    std::optional<Wanted> m_computing;
    std::optional<Wanted> m_shown;
    QTimer m_dim;   // only what takes its time is dimmed
    Job m_counting; // the jobs are last: they end before anything they deliver to
    Job m_statistics;
    Job m_reading;
    std::vector<Job> m_writing;
};

} // namespace headscope::app
