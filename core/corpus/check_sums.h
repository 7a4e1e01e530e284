// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"

#include <optional>
#include <string>

namespace headscope::core {

/// Whether the last document has been counted to its end: expected values and documents come only then.
enum class LastDocument : std::uint8_t { Ended, Open };

/// Which tensor of counts, and at which row of it, has a number that the others do not allow, as part of a sentence. What
/// contradictionIn (check_counts.h) looks at has been checked before: order, ranges, that pairs add up to their margins.
/// Looks at early counts and groups, gates (which the kind of gate bounds, and which add up), expected values (which add up
/// to n(t) and n(e) but for their rounding), experts chosen together, tags, classes, margins, softmax sums, pools.
std::optional<std::string> wrongSumIn(const Counts& counts, LastDocument last);

} // namespace headscope::core
