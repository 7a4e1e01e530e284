// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/workspace.h"
#include "core/compare/comparison.h"
#include "widgets/compare_view.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace headscope::app {

/// core::compareTraces, or a stand-in of a test.
using Comparer = std::function<core::Comparison(const core::ComparedTraces&, const core::CompareSettings&,
                                                const core::CompareExtras&, const core::Progress&)>;

/// What the Compare page shows, and the work behind it: whenever both checkpoints have traced the text and the page is in
/// front, their traces are compared in the background, first without null and intervals, so that the page fills soon, then
/// with them. The latest text wins; what is shown stays, dimmed, until the next comparison is there. What fails leaves A as
/// it is.
class CompareController : public QObject
{
    Q_OBJECT

public:
    /// Both outlive it.
    CompareController(Workspace& workspace, widgets::CompareView& view, Comparer comparer, QObject* parent = nullptr);
    ~CompareController() override;

    /// How experts are matched; none: as fits.
    void setMatching(std::optional<core::Matching> matching);
    /// Compares what is not compared yet; nothing while the view is hidden.
    void refresh();
    /// Nothing runs or waits.
    bool idle() const;

Q_SIGNALS:
    void failed(const QString& sentence);
    /// Another comparison is shown, or none.
    void shown();

private:
    enum class Depth { Quick, Full };
    /// What a comparison that is shown, or computed, is of.
    struct Wanted {
        core::ComparedTraces traces;
        std::optional<core::Matching> matching;

        bool operator==(const Wanted& other) const
        {
            return traces.a == other.traces.a && traces.b == other.traces.b && matching == other.matching;
        }
    };

    void stateChanged();
    std::optional<Wanted> wanted() const;
    QString whyNothing() const;
    void clear();
    void start(const Wanted& wanted, Depth depth);
    void arrived(Outcome<std::shared_ptr<const core::Comparison>> outcome);

    Workspace& m_workspace;
    widgets::CompareView& m_view;
    Comparer m_comparer;
    std::optional<core::Matching> m_matching;
    QString m_problem; // why one of them has no trace of the text
    std::optional<Wanted> m_computing;
    Depth m_depth = Depth::Quick; // of m_computing, or of m_shown
    std::optional<Wanted> m_shown;
    std::optional<Wanted> m_failed; // is not tried again
    QTimer m_pause;                 // typing goes on
    QTimer m_dim;                   // only what takes its time is dimmed
    Job m_job;                      // last: it ends before anything it delivers to
};

} // namespace headscope::app
