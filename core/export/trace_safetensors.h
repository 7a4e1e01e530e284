// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/trace_export.h"
#include "core/progress.h"

#include <filesystem>

namespace headscope::core {

/// Writes a trace file (docs/trace-file.md lists its tensors). Attention maps are computed and written one by one, so that never more
/// than one is held. The file appears under its name when it is complete. Throws Error, Cancelled.
void writeTraceFile(const std::filesystem::path& path, const Trace& trace, const TraceExport& what, const Progress& progress = {});

} // namespace headscope::core
