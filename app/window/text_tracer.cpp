// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/text_tracer.h"

#include "core/tokenizer/tokenizer.h"
#include "core/trace/trace_cost.h"

#include <algorithm>
#include <fstream>
#include <limits>

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

} // namespace

std::int64_t availableBytes()
{
    std::ifstream file("/proc/meminfo"); // "MemAvailable:   12345678 kB"
    std::string name, unit;
    std::int64_t kilobytes = 0;
    while (file >> name >> kilobytes) {
        if (name == "MemAvailable:")
            return kilobytes * 1024;
        std::getline(file, unit);
    }
    return std::numeric_limits<std::int64_t>::max();
}

TextTracer::TextTracer(std::shared_ptr<const core::Model> model, LongLimits limits)
    : m_model(std::move(model)), m_limits(limits), m_speed(core::assumedSpeed(m_model->info()->device))
{
}

TraceResult TextTracer::operator()(const TraceRequest& request, const core::Progress& progress)
{
    constexpr double tokenized = 0.05; // of the time; it matters for texts of megabytes only
    core::TokenizedText text = tokens(request.text, part(progress, 0, tokenized));
    core::TraceOptions options;
    options.prefix = request.earlier;
    options.maps = request.whenLong != WhenLong::TraceRoutingOnly;
    options.lastLayer = options.maps; // for the divergence of next tokens from another model's
    if (request.whenLong == WhenLong::Ask) {
        core::TraceOptions without;
        without.maps = false;
        const LongTrace cost{static_cast<std::int64_t>(text.tokens.size()), costOf(options, text), costOf(without, text)};
        if (isLong(cost.whole))
            return {nullptr, false, cost};
    }
    const std::int64_t known = core::reusableTokens(options, *m_model->info(), text);
    auto trace = m_model->trace(std::move(text), options, part(progress, tokenized, 1));
    learn(*trace, options, known);
    return {std::move(trace)};
}

core::TokenizedText TextTracer::tokens(const std::string& text, const core::Progress& progress) const
{
    if (m_model->tokenizer())
        return m_model->tokenize(text, progress);
    return core::makeIdListTokenizer(m_model->info()->vocabulary)->encode(text, {}, progress);
}

LongTrace::Cost TextTracer::costOf(const core::TraceOptions& options, const core::TokenizedText& text) const
{
    const core::ModelInfo& info = *m_model->info();
    const auto cost = core::traceCost(info, options, static_cast<std::int64_t>(text.tokens.size()),
                                      core::reusableTokens(options, info, text));
    return {cost.products / m_speed, cost.bytes()};
}

bool TextTracer::isLong(const LongTrace::Cost& cost) const
{
    if (cost.seconds > m_limits.seconds || cost.bytes > m_limits.bytes)
        return true;
    constexpr std::int64_t little = std::int64_t{64} << 20; // is never worth a question
    return cost.bytes > little && cost.bytes > availableBytes() / 2;
}

/// Little runs spend their time elsewhere and tell nothing about large ones.
void TextTracer::learn(const core::Trace& trace, const core::TraceOptions& options, std::int64_t known)
{
    constexpr std::int64_t telling = 64; // tokens
    if (trace.tokens() - known < telling || trace.milliseconds <= 0)
        return;
    m_speed = core::traceCost(*m_model->info(), options, trace.tokens(), known).products / trace.milliseconds * 1000;
}

} // namespace headscope::app
