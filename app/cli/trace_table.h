// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <iosfwd>
#include <vector>

namespace headscope::app {

/// The routers a reader sees first: those of the first layer that has any, at most `most`.
std::vector<core::RouterAddress> firstRouters(const core::ModelInfo& info, std::size_t most);

/// A line per token: its piece, its loss, and for every router the chosen experts with their gates; "?" marks a doubtful choice.
/// The routers have to be of the trace.
void printTraceTable(std::ostream& out, const core::Trace& trace, const std::vector<core::RouterAddress>& routers);

} // namespace headscope::app
