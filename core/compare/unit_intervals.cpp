// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/unit_intervals.h"

#include "core/stats/student.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t fewestStretches = 6;
constexpr std::size_t mostStretches = 20;
constexpr double blocksInAStretch = 4;

/// Autocovariances at lags 0 … most.
std::vector<double> autocovariances(std::span<const double> values, std::size_t most)
{
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    std::vector<double> off;
    for (const double value : values)
        off.push_back(value - mean);
    std::vector<double> result;
    for (std::size_t lag = 0; lag <= most; ++lag)
        result.push_back(std::inner_product(off.begin() + static_cast<std::ptrdiff_t>(lag), off.end(), off.begin(), 0.0) /
                         n);
    return result;
}

/// The lag from which on some lags in a row are as small as chance makes them; else the last that is not.
std::size_t lastCorrelated(const std::vector<double>& covariances, std::size_t inARow, double small)
{
    const auto isSmall = [&](std::size_t lag) { return std::abs(covariances[lag]) < small * covariances[0]; };
    std::size_t last = 1;
    for (std::size_t lag = 1; lag < covariances.size(); ++lag) {
        if (!isSmall(lag)) {
            last = lag;
            continue;
        }
        std::size_t run = 0;
        while (run < inARow && lag + run < covariances.size() && isSmall(lag + run))
            ++run;
        if (run == inARow)
            return std::max<std::size_t>(lag - 1, 1);
    }
    return last;
}

} // namespace

double blockLength(std::span<const double> values)
{
    if (values.size() < 2)
        return 1;
    const auto n = static_cast<double>(values.size());
    const double decades = std::log10(n);
    const auto inARow = static_cast<std::size_t>(std::max(5.0, std::ceil(std::sqrt(decades))));
    const auto most = std::min(values.size() - 1, static_cast<std::size_t>(std::ceil(std::sqrt(n))) + inARow);
    const std::vector<double> covariances = autocovariances(values, most);
    if (!(covariances[0] > 0))
        return 1;
    const std::size_t window = std::min(most, 2 * lastCorrelated(covariances, inARow, 2 * std::sqrt(decades / n)));
    double slope = 0, spectrum = covariances[0]; // Σ |lag|·R(lag) and Σ R(lag) under a flat-topped window
    for (std::size_t lag = 1; lag <= window; ++lag) {
        const double place = static_cast<double>(lag) / static_cast<double>(window);
        const double weight = 2 * (place <= 0.5 ? 1 : 2 * (1 - place)) * covariances[lag];
        slope += weight * static_cast<double>(lag);
        spectrum += weight;
    }
    if (!(spectrum > 0))
        return 1;
    return std::max(1.0, std::cbrt(2 * slope * slope / (4.0 / 3 * spectrum * spectrum) * n));
}

UnitInterval ratioInterval(std::span<const double> numerators, std::span<const double> denominators)
{
    UnitInterval result{{blank, blank}};
    const double all = std::accumulate(denominators.begin(), denominators.end(), 0.0);
    if (numerators.size() < fewestIntervalUnits || !(all > 0))
        return result;
    const double ratio = std::accumulate(numerators.begin(), numerators.end(), 0.0) / all;
    std::vector<double> residuals;
    for (std::size_t unit = 0; unit < numerators.size(); ++unit)
        residuals.push_back(numerators[unit] - ratio * denominators[unit]);
    const auto fitting =
        static_cast<std::size_t>(static_cast<double>(residuals.size()) / (blocksInAStretch * blockLength(residuals)));
    const std::size_t q = std::clamp(fitting, fewestStretches, mostStretches);
    double squares = 0;
    for (std::size_t stretch = 0; stretch < q; ++stretch) {
        const auto first = residuals.begin() + static_cast<std::ptrdiff_t>(stretch * residuals.size() / q);
        const auto last = residuals.begin() + static_cast<std::ptrdiff_t>((stretch + 1) * residuals.size() / q);
        const double sum = std::accumulate(first, last, 0.0);
        squares += sum * sum;
    }
    const auto degrees = static_cast<double>(q) - 1;
    const double reach = studentReach(degrees) * std::sqrt(squares * static_cast<double>(q) / degrees) / all;
    return {{ratio - reach, ratio + reach}, static_cast<int>(q), fitting < fewestStretches};
}

UnitInterval shareInterval(std::span<const float> values)
{
    std::vector<double> numerators(values.size(), 0), denominators(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) {
            numerators[i] = static_cast<double>(values[i]);
            denominators[i] = 1;
        }
    UnitInterval result = ratioInterval(numerators, denominators);
    if (!std::isnan(result.interval.low))
        result.interval = {std::max(0.0, result.interval.low), std::min(1.0, result.interval.high)};
    return result;
}

} // namespace headscope::core
