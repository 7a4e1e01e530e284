// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/trace_controller.h"

#include <algorithm>

namespace headscope::app {

TraceController::TraceController(TraceWork work, ComputeQueue& queue, QObject* parent)
    : QObject(parent), m_work(std::move(work)), m_queue(queue)
{
}

double TraceController::milliseconds(const Running& running)
{
    return static_cast<double>(running.since.nsecsElapsed()) / 1e6;
}

/// What a trace of this text has to compute, given that of m_traced.
std::size_t TraceController::freshBytes(const std::string& text) const
{
    const auto [end, other] = std::ranges::mismatch(text, m_traced);
    return static_cast<std::size_t>(text.end() - end);
}

void TraceController::setText(std::string text, TraceManner manner)
{
    m_manner = manner;
    m_text = std::move(text);
    if (!m_running) {
        if (!current())
            start();
        return;
    }
    m_waiting = m_running->givenUp || m_text != m_running->text;
    if (m_waiting && !m_running->givenUp &&
        m_pace.giveUp({m_running->fresh, milliseconds(*m_running), m_running->fraction}, freshBytes(m_text))) {
        m_running->givenUp = true;
        m_job.cancel();
    }
    Q_EMIT stateChanged();
}

void TraceController::stop()
{
    m_waiting = false;
    m_job.cancel();
}

void TraceController::start()
{
    m_waiting = false;
    m_running.emplace();
    m_running->text = m_text;
    m_running->fresh = freshBytes(m_text);
    m_running->since.start();
    m_job = m_queue.submit(
        m_manner.priority,
        [work = m_work, request = TraceRequest{m_text, m_trace, m_manner.whenLong}](const core::Progress& progress) {
            return work(request, progress);
        },
        this, [this](Outcome<TraceResult> outcome) { finish(std::move(outcome)); },
        [this](const ProgressReport& report) {
            m_running->fraction = report.fraction;
            Q_EMIT progressed(report);
        });
    Q_EMIT stateChanged();
}

void TraceController::finish(Outcome<TraceResult> outcome)
{
    const Running done = std::move(*m_running);
    m_running.reset();
    const TraceResult* result = std::get_if<TraceResult>(&outcome);
    const bool traced = result && !result->question;
    if (traced) {
        m_pace.finished(done.fresh, milliseconds(done));
        m_trace = result->trace;
        m_traced = done.text;
    }
    if (m_waiting)
        start();
    else
        Q_EMIT stateChanged();
    if (traced)
        Q_EMIT this->traced(*result);
    else if (result && done.text == m_text)
        Q_EMIT asked(*result->question);
    else if (const auto* failure = std::get_if<Failure>(&outcome))
        Q_EMIT failed(QString::fromStdString(failure->sentence));
}

} // namespace headscope::app
