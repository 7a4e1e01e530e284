// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <string_view>

namespace headscope::core {

/// What a trace costs, from shapes alone: known before it is made.
struct TraceCost {
    std::int64_t keptBytes = 0;    // of the arrays that the trace keeps; exact
    std::int64_t mapBytes = 0;     // of those, what only attention maps (and prefix reuse) need
    std::int64_t workingBytes = 0; // that it takes meanwhile, about
    double products = 0;           // multiply-accumulates, about: products with weights, and attention between the tokens

    std::int64_t bytes() const { return keptBytes + workingBytes; }
};

/// For a text of so many tokens, of which the first `known` are taken from an earlier trace.
TraceCost traceCost(const ModelInfo& model, const TraceOptions& options, std::int64_t tokens, std::int64_t known = 0);

/// Bytes of the arrays of a trace, as in TraceCost::keptBytes.
std::int64_t keptBytes(const Trace& trace);

/// Multiply-accumulates per second to be expected on a device ("cpu", "cuda:0") as long as nothing has been measured there.
double assumedSpeed(std::string_view device);

/// How many tokens of `options.prefix` can stand for the beginning of `text`: all common ones but the last, whose successor is another one and
/// whose output is therefore needed again. 0 when the earlier trace does not fit.
std::int64_t reusableTokens(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text);

} // namespace headscope::core
