// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Internal to core/stats: means over shuffled tables, of one router's cells and of pooled ones.

namespace headscope::core {

inline double xLogX(double x)
{
    return x > 0 ? x * std::log(x) : 0;
}

/// E[f(X)] of X ~ hypergeometric: `drawn` out of `all`, of which `marked` are marked. Exact: from the mode outwards until
/// nothing more can be added.
template <typename Function>
double hypergeometricMean(double all, double marked, double drawn, const Function& f)
{
    const double low = std::max(0.0, drawn + marked - all);
    const double high = std::min(drawn, marked);
    const double mode = std::min(std::max(std::floor((drawn + 1) * (marked + 1) / (all + 2)), low), high);
    constexpr double negligible = 1e-20;
    double weights = 1; // relative to the mode's
    double sum = f(mode);
    double weight = 1;
    for (double x = mode; x < high && weight > negligible; ++x) {
        weight *= (marked - x) * (drawn - x) / ((x + 1) * (all - marked - drawn + x + 1));
        weights += weight;
        sum += weight * f(x + 1);
    }
    weight = 1;
    for (double x = mode; x > low && weight > negligible; --x) {
        weight *= x * (all - marked - drawn + x) / ((marked - x + 1) * (drawn - x + 1));
        weights += weight;
        sum += weight * f(x - 1);
    }
    return sum / weights;
}

/// A population of numbers, and E[X·ln X] of the sum X of some that are drawn without replacement, by its moments.
struct SumMoments {
    double mean = 0, variance = 0, third = 0, fourth = 0; // cumulants
    double meanXLogX() const;
};

/// What M routers together chose of one expert over the positions of a text: a number from 0 to M at each. A pooled cell
/// adds these numbers over the positions of a class; shuffled over positions, all M routers of a position together, it adds
/// those of as many positions drawn without replacement.
class TogetherCell
{
public:
    /// [M + 1]: positions at which 0 … M routers chose it.
    explicit TogetherCell(std::span<const std::int64_t> positions);

    /// E[X·ln X] of the sum over `drawn` positions.
    double meanXLogX(double drawn) const;

private:
    struct Population {
        double size = 0, mean = 0, variance = 0, third = 0;
        SumMoments drawn(double count) const;
    };
    static Population populationOf(std::span<const std::int64_t> positions);
    void tabulate(std::span<const std::int64_t> positions);
    double ofChosen(double drawn) const;

    Population m_all;
    Population m_chosen;         // the positions at which the number is not 0
    std::vector<double> m_exact; // E[X ln X] of 0, 1, … of these drawn
};

/// The same of routers that are shuffled each on its own: the cell is a sum of M hypergeometric numbers.
class ApartCell
{
public:
    /// `marked`: [M], n(e) of each router among `all` positions.
    ApartCell(double all, std::span<const std::int64_t> marked) : m_all(all), m_marked(marked.begin(), marked.end()) {}

    double meanXLogX(double drawn) const;

private:
    double m_all;
    std::vector<double> m_marked;
};

} // namespace headscope::core
