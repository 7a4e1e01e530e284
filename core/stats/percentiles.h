// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>
#include <vector>

namespace headscope::core {

/// The ends of the middle `level` of the values: order statistics, the outer ones where the share falls between two. NaN
/// without values.
std::pair<double, double> middleOf(std::vector<double> values, double level);

} // namespace headscope::core
