// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace headscope::core {

/// Jensen-Shannon divergence of two distributions over the same cells, bits, in [0, 1]: (D(p‖m) + D(q‖m)) / 2 with m = (p +
/// q) / 2 (Lin 1991). What is given are non-negative masses; each is divided by its own sum. NaN where one has no mass.
double jensenShannon(std::span<const double> p, std::span<const double> q);

/// Mutual information of the two margins of a table of non-negative masses [rows, columns], bits; 0 without mass.
double mutualInformation(std::span<const double> table, std::size_t columns);

/// Ranks from 1, ties share the mean of theirs. Zeros may be many: they are not sorted. No value is NaN.
std::vector<double> averageRanks(std::span<const double> values);

/// Spearman's rank correlation: Pearson's of the average ranks. NaN where one of the two is constant, or for fewer than two
/// values.
double rankCorrelation(std::span<const double> x, std::span<const double> y);

} // namespace headscope::core
