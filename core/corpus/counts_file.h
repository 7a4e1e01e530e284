// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/progress.h"

#include <filesystem>

namespace headscope::core {

/// Writes counts as a safetensors file (docs/counts-file.md), atomically. Holds no time and no path: equal counts give equal bytes.
/// Throws Error, Cancelled.
void writeCounts(const std::filesystem::path& path, const Counts& counts, const Progress& progress = {});

/// Reads what writeCounts wrote. Everything is checked (lengths, order, ranges, that pairs add up to their margins), so that the values may
/// be used without further checks. Throws Error naming the file and what is wrong with it; Cancelled.
Counts readCounts(const std::filesystem::path& path, const Progress& progress = {});

} // namespace headscope::core
