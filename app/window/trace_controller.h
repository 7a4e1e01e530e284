// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/jobs/typed_text_pace.h"
#include "app/window/text_tracer.h"

#include <QElapsedTimer>
#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace headscope::app {

/// Traces a text on a worker thread: TextTracer, or a stand-in of a test.
using TraceWork = std::function<TraceResult(const TraceRequest& request, const core::Progress& progress)>;

/// How a text is traced.
struct TraceManner {
    Priority priority = Priority::TypedText;
    WhenLong whenLong = WhenLong::Ask;
};

/// Keeps the trace of one model in step with a text. The latest text wins: at most one trace runs, the texts typed meanwhile
/// but the last are skipped, and a running trace is given up only when it would take longer than a fresh one
/// (TypedTextPace).
class TraceController : public QObject
{
    Q_OBJECT

public:
    TraceController(TraceWork work, ComputeQueue& queue, QObject* parent = nullptr);

    /// The manner is that of the runs that begin from now on.
    void setText(std::string text, TraceManner manner = {});
    /// Gives up what runs and waits, without waiting for it; stateChanged() follows.
    void stop();
    /// The newest trace; nullptr before the first one and after a failure of the first.
    const std::shared_ptr<const core::Trace>& trace() const { return m_trace; }
    /// A trace is under way.
    bool busy() const { return m_running.has_value(); }
    /// The trace is of the text that was set last.
    bool current() const { return m_trace && m_traced == m_text; }

Q_SIGNALS:
    void traced(const headscope::app::TraceResult& result);
    void failed(const QString& sentence);
    /// The text was not traced, since that would take long.
    void asked(const headscope::app::LongTrace& cost);
    /// busy() or current() has changed.
    void stateChanged();
    void progressed(const headscope::app::ProgressReport& report);

private:
    struct Running {
        std::string text;
        std::size_t fresh = 0; // bytes beyond the beginning it has in common with the trace before
        QElapsedTimer since;
        double fraction = 0;
        bool givenUp = false;
    };

    static double milliseconds(const Running& running);
    std::size_t freshBytes(const std::string& text) const;
    void start();
    void finish(Outcome<TraceResult> outcome);

    TraceWork m_work;
    ComputeQueue& m_queue;
    TypedTextPace m_pace;
    TraceManner m_manner;
    std::string m_text;     // wanted
    std::string m_traced;   // of m_trace
    bool m_waiting = false; // m_text is still to be traced, after the running one
    std::optional<Running> m_running;
    std::shared_ptr<const core::Trace> m_trace;
    Job m_job; // last: it ends before anything it delivers to
};

} // namespace headscope::app
