// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

namespace headscope::core {

/// The assignment of rows to columns with the largest sum of values: [rows] the column of each, -1 for rows left over where
/// there are more rows than columns. values: [rows, columns], finite. Kuhn 1955 with potentials, O(rows²·columns); ties go
/// the same way each time.
std::vector<int> bestAssignment(std::span<const double> values, int rows, int columns);

} // namespace headscope::core
