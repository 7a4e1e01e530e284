// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/comparison_export.h"
#include "core/export/report.h"

#include <vector>

namespace headscope::core {

/// A comparison for a reader: models, settings, losses, routers, matchings, cost, and both strips of the given pairs of
/// routers (indices into Comparison::routers).
Report comparisonReport(const Comparison& comparison, const ComparisonExport& what, const std::vector<std::size_t>& strips);

} // namespace headscope::core
