// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/percentiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headscope::core {

std::pair<double, double> middleOf(std::vector<double> values, double level)
{
    constexpr double blank = std::numeric_limits<double>::quiet_NaN();
    if (values.empty())
        return {blank, blank};
    const auto last = static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::ptrdiff_t>(std::floor(last * (1 - level) / 2));
    const auto high = static_cast<std::ptrdiff_t>(std::ceil(last * (1 + level) / 2));
    std::nth_element(values.begin(), values.begin() + low, values.end());
    const double lowest = values[static_cast<std::size_t>(low)];
    std::nth_element(values.begin() + low, values.begin() + high, values.end());
    return {lowest, values[static_cast<std::size_t>(high)]};
}

} // namespace headscope::core
