// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/workspace.h"
#include "core/corpus/count_corpus.h"
#include "core/corpus/find_contexts.h"
#include "widgets/contexts_view.h"
#include "widgets/specialisation_view.h"

#include <QObject>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace headscope::app {

/// What is looked for: a pair of the tables, in the texts that were counted.
struct ContextsQuestion {
    widgets::PairInQuestion pair;
    std::shared_ptr<const widgets::RouterStatistics> statistics; // the table that the pair is of
    std::shared_ptr<const core::Counts> counts;
    widgets::Completeness completeness = widgets::Completeness::Whole; // of the counts
    core::CountSettings corpus;
};

/// The search as the core takes it. Throws core::Error when the counts do not have the row.
core::ContextSettings contextSettings(const ContextsQuestion& question);

/// In what the texts that were searched differ from those that were counted; empty when in nothing.
QString differenceFrom(const core::Counts& counts, widgets::Completeness completeness, const core::Contexts& contexts);

/// Searches behind everything but a count, one at a time; the latest question wins. What fails leaves what was shown; what
/// is stopped leaves what was found.
class ContextsController : public QObject
{
    Q_OBJECT

public:
    /// Both outlive it.
    ContextsController(Workspace& workspace, widgets::ContextsView& view, QObject* parent = nullptr);
    ~ContextsController() override;

    void find(ContextsQuestion question);
    void stop();
    /// What is shown, in the format of the file's extension.
    void exportTable(const std::filesystem::path& path);
    /// Nothing is shown and nothing runs any more.
    void clear();
    bool idle() const { return !m_run && !m_next && !m_writing.pending(); }

Q_SIGNALS:
    void failed(const QString& sentence);
    void written(const std::filesystem::path& path);
    void notWritten(const QString& sentence);

private:
    using Found = std::shared_ptr<const core::Contexts>;
    struct Shown {
        Found contexts;
        QString row;
        std::optional<int> expert;
        QString note;
        std::string routers = {}; // for an exported file
        std::string name = {};    // of the row, for that too
    };
    struct Run {
        int number = 0;
        ContextsQuestion question;
        QString row;
        std::optional<int> expert;
        std::string routers;  // address, or the name of those that were added up
        std::string name;     // "token ▁the", "word river"
        bool isWanted = true; // false once the pane was closed or another checkpoint is shown
    };

    void start(ContextsQuestion question);
    void show(Shown shown);
    void partialArrived(int run, Found contexts);
    void ended(Outcome<Found> outcome);
    QString noteOf(const Run& run, const core::Contexts& contexts) const;

    Workspace& m_workspace;
    widgets::ContextsView& m_view;
    Shown m_shown;
    Shown m_former; // comes back when the search fails
    std::optional<Run> m_run;
    std::optional<ContextsQuestion> m_next; // when the one that runs has ended
    int m_runs = 0;
    Job m_writing;
    Job m_job; // last: it ends before anything it delivers to
};

} // namespace headscope::app
