// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/cost_text.h"
#include "core/families/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace headscope::app {

/// What to do with a text whose trace takes long or much memory.
enum class WhenLong : std::uint8_t { Ask, Trace, TraceRoutingOnly };

/// The earlier trace of the same model (or nullptr), whose common beginning need not be computed again.
using EarlierTrace = std::shared_ptr<const core::Trace>;

struct TraceRequest {
    std::string text;
    EarlierTrace earlier;
    WhenLong whenLong = WhenLong::Ask;
};

/// A trace that would take long, and what it would cost with and without what attention maps need.
struct LongTrace {
    struct Cost {
        double seconds = 0;
        std::int64_t bytes = 0;
    };
    std::int64_t tokens = 0;
    Cost whole;
    Cost routingOnly;
};

/// What one run gives: a trace, or what it would cost (then nothing was traced).
struct TraceResult {
    std::shared_ptr<const core::Trace> trace;
    bool checkpointChanged = false; // its file is no longer what was opened
    std::optional<LongTrace> question = {};
};

/// From where on the user is asked.
struct LongLimits {
    double seconds = longSeconds;
    std::int64_t bytes = largeBytes; // or less, when there is not that much free
};

/// Tokenizes and traces texts by one model and learns how quick that is; without a tokenizer the text is a list of ids.
/// Used by one thread at a time.
class TextTracer
{
public:
    explicit TextTracer(std::shared_ptr<const core::Model> model, LongLimits limits = {});

    /// Throws core::Error, core::Cancelled.
    TraceResult operator()(const TraceRequest& request, const core::Progress& progress);

private:
    core::TokenizedText tokens(const std::string& text, const core::Progress& progress) const;
    LongTrace::Cost costOf(const core::TraceOptions& options, const core::TokenizedText& text) const;
    bool isLong(const LongTrace::Cost& cost) const;
    void learn(const core::Trace& trace, const core::TraceOptions& options, std::int64_t known);

    std::shared_ptr<const core::Model> m_model;
    LongLimits m_limits;
    double m_speed; // multiply-accumulates per second
};

/// Memory that programs can still take, in bytes; the largest number where the system does not tell.
std::int64_t availableBytes();

} // namespace headscope::app
