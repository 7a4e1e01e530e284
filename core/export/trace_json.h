// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/trace_export.h"
#include "core/progress.h"

#include <iosfwd>

namespace headscope::core {

/// A whole trace as JSON (docs/trace-file.md describes every member). Attention maps are computed and written one by one. Throws Error,
/// Cancelled.
void writeTraceJson(std::ostream& out, const Trace& trace, const TraceExport& what, const Progress& progress = {});

} // namespace headscope::core
