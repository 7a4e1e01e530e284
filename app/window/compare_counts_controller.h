// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/workspace.h"
#include "core/corpus/counts.h"
#include "widgets/compare_corpus.h"
#include "widgets/compare_view.h"

#include <QObject>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace headscope::app {

/// What was counted of a checkpoint over a whole corpus; nullptr when nothing was.
using CountsOf = std::function<std::shared_ptr<const core::Counts>(const CheckpointSession*)>;

/// The tables of the Compare page that come from corpora: when both checkpoints were counted and the table is in front,
/// their counts are compared in the background, for the pair of routers that is shown.
class CompareCountsController : public QObject
{
    Q_OBJECT

public:
    /// All outlive it.
    CompareCountsController(Workspace& workspace, widgets::CompareView& view, widgets::CompareCorpus& corpus,
                            QObject* parent = nullptr);
    ~CompareCountsController() override;

    void setSource(CountsOf source);
    /// Shows what is chosen, unless it is shown already; nothing while the table is hidden.
    void refresh();
    /// The table that is shown. The format is that of the file's extension.
    void exportTable(const std::filesystem::path& path);
    bool idle() const { return !m_job.pending() && !m_writing.pending(); }

Q_SIGNALS:
    void failed(const QString& sentence);
    void written(const std::filesystem::path& path);

private:
    struct Wanted {
        std::shared_ptr<const core::Counts> a;
        std::shared_ptr<const core::Counts> b;
        core::RouterAddress routerA;
        core::RouterAddress routerB;
        std::optional<core::Matching> matching;

        bool operator==(const Wanted&) const = default;
        bool sameCounts(const Wanted& other) const { return a == other.a && b == other.b && matching == other.matching; }
    };
    using SharedTokens = std::shared_ptr<const widgets::ComparedTokens>;

    std::optional<Wanted> wanted() const;
    void arrived(Outcome<SharedTokens> outcome);
    void forget();

    Workspace& m_workspace;
    widgets::CompareView& m_view;
    widgets::CompareCorpus& m_corpus;
    CountsOf m_source;
    std::optional<Wanted> m_computing;
    std::optional<Wanted> m_shown;
    SharedTokens m_tokens;
    Job m_writing; // the jobs are last: they end before anything they deliver to
    Job m_job;
};

} // namespace headscope::app
