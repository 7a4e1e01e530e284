// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace_cost.h"

#include <cstdint>
#include <optional>
#include <string>

namespace headscope::app {

/// "1 token", "12,345 tokens"
std::string tokensText(std::int64_t tokens);

/// What work is expected to cost, for a sentence: "about 9 s and 1.2 GB", "about 4 min and 80 MB".
std::string costText(double seconds, std::int64_t bytes);

/// A trace is announced before it begins when it is expected to take longer than this, or more memory.
inline constexpr double longSeconds = 4;
inline constexpr std::int64_t largeBytes = std::int64_t{1} * 1000 * 1000 * 1000;

/// "12,345 tokens: about 9 s and 1.2 GB", when that is worth saying before the trace begins.
std::optional<std::string> longRunNote(const core::ModelInfo& model, const core::TraceOptions& options, std::int64_t tokens);

} // namespace headscope::app
