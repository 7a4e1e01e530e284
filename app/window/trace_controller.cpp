// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/trace_controller.h"

#include "core/tokenizer/tokenizer.h"

#include <algorithm>

namespace headscope::app {

namespace {

/// Progress of a part of the work, which lies between these fractions of the whole.
core::Progress part(const core::Progress& whole, double from, double to)
{
    core::Progress result = whole;
    if (whole.report)
        result.report = [report = whole.report, from, to](double fraction, std::string_view stage) {
            report(from + fraction * (to - from), stage);
        };
    return result;
}

core::TokenizedText tokens(const core::Model& model, const std::string& text, const core::Progress& progress)
{
    if (model.tokenizer())
        return model.tokenize(text, progress);
    return core::makeIdListTokenizer(model.info()->vocabulary)->encode(text, {}, progress);
}

} // namespace

std::shared_ptr<const core::Trace> traceText(const core::Model& model, const std::string& text, const EarlierTrace& earlier,
                                             const core::Progress& progress)
{
    core::TraceOptions options;
    options.prefix = earlier;
    constexpr double tokenized = 0.05; // of the time; it matters for texts of megabytes only
    return model.trace(tokens(model, text, part(progress, 0, tokenized)), options, part(progress, tokenized, 1));
}

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

void TraceController::setText(std::string text, Priority priority)
{
    m_priority = priority;
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
        m_priority,
        [work = m_work, text = m_text, earlier = m_trace](const core::Progress& progress) {
            return work(text, earlier, progress);
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
    if (result) {
        m_pace.finished(done.fresh, milliseconds(done));
        m_trace = result->trace;
        m_traced = done.text;
    }
    if (m_waiting)
        start();
    else
        Q_EMIT stateChanged();
    if (result)
        Q_EMIT traced(*result);
    else if (const auto* failure = std::get_if<Failure>(&outcome))
        Q_EMIT failed(QString::fromStdString(failure->sentence));
}

} // namespace headscope::app
