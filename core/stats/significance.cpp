// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/significance.h"

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::core {

namespace {

double term(double observed, double expected)
{
    return observed > 0 ? observed * std::log(observed / expected) : 0;
}

} // namespace

double chiSquaredTail(double value)
{
    if (!(value > 0))
        return 1;
    if (std::isinf(value))
        return 0;
    return boost::math::cdf(boost::math::complement(boost::math::chi_squared(1), value));
}

Independence independence(std::int64_t together, std::int64_t token, std::int64_t expert, std::int64_t positions)
{
    const auto n = static_cast<double>(positions);
    const auto t = static_cast<double>(token);
    const auto e = static_cast<double>(expert);
    const auto both = static_cast<double>(together);
    Independence result;
    if (positions <= 0)
        return result;
    const double expected[4] = {t * e / n, t * (n - e) / n, (n - t) * e / n, (n - t) * (n - e) / n};
    const double observed[4] = {both, t - both, e - both, n - t - e + both};
    double sum = 0;
    for (int cell = 0; cell < 4; ++cell)
        sum += term(observed[cell], expected[cell]);
    const double g2 = std::max(0.0, 2 * sum);
    result.g2 = both < expected[0] ? -g2 : g2;
    result.expected = expected[0];
    result.smallest = *std::min_element(expected, expected + 4);
    result.p = chiSquaredTail(g2);
    return result;
}

std::vector<double> benjaminiHochberg(std::span<const double> p)
{
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [p](std::size_t a, std::size_t b) { return p[a] != p[b] ? p[a] < p[b] : a < b; });
    std::vector<double> q(p.size());
    double least = 1;
    for (std::size_t rank = p.size(); rank > 0; --rank) {
        const std::size_t at = order[rank - 1];
        least = std::min(least, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
        q[at] = least;
    }
    return q;
}

} // namespace headscope::core
