// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"

#include <optional>
#include <string>

namespace headscope::core {

/// What about counts that came from a file cannot be (order, ranges, pairs that do not add up to their margins), as part of a sentence;
/// nullopt when nothing contradicts. Lengths have been checked before.
std::optional<std::string> contradictionIn(const Counts& counts);

} // namespace headscope::core
