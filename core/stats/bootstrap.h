// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/stats/pair_statistics.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::core {

/// Percentile intervals of PMI (weighted by selections) for the pairs of a table: [pairs] of {low, high}. Groups of
/// documents are drawn with replacement, as many as hold documents; n(t,e), n(t), n(e), N and α enter anew each time. Draws
/// in which the token does not occur say nothing and are left out; in those in which the pair does not, PMI is -∞ (unless α
/// > 0). An end at -∞ is NaN, as are both ends of a token that occurs in a single group. The same seed gives the same
/// numbers on every machine. `wanted` [pairs] says which are computed; the others are NaN.
std::vector<std::pair<double, double>> bootstrapIntervals(const RouterTable& table, const std::vector<bool>& wanted,
                                                          double alpha, const BootstrapSettings& settings,
                                                          const Progress& progress = {});

} // namespace headscope::core
