// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/load.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::core {

namespace {

/// Σ_n P(n)·n·ln n of n ~ binomial(positions, p), from the mode outwards until nothing more can be added.
double meanBinomialXLogX(double positions, double p)
{
    const auto xLogX = [](double x) { return x > 0 ? x * std::log(x) : 0; };
    constexpr double negligible = 1e-20;
    const double odds = p / (1 - p);
    const double mode = std::floor((positions + 1) * p);
    double weights = 1; // relative to the mode's
    double sum = xLogX(mode);
    double weight = 1;
    for (double x = mode; x < positions && weight > negligible; ++x) {
        weight *= odds * (positions - x) / (x + 1);
        weights += weight;
        sum += weight * xLogX(x + 1);
    }
    weight = 1;
    for (double x = mode; x > 0 && weight > negligible; --x) {
        weight *= x / (odds * (positions - x + 1));
        weights += weight;
        sum += weight * xLogX(x - 1);
    }
    return sum / weights;
}

} // namespace

double expectedLoadEntropy(int experts, int chosen, double positions)
{
    const auto all = static_cast<double>(experts);
    const auto k = static_cast<double>(chosen);
    if (experts < 2 || chosen >= experts)
        return 1;
    if (!(positions > 0))
        return 0;
    constexpr double enough = 1000; // selections an expert: the series is right to 1e-7 from here on
    const double selections = k * positions;
    if (selections / all >= enough)
        return 1 - (all - k) / (2 * selections) / std::log(all);
    const double mean = meanBinomialXLogX(positions, k / all);
    return std::clamp((std::log(selections) - all / selections * mean) / std::log(all), 0.0, 1.0);
}

Load loadOf(std::vector<std::int64_t> selections, std::vector<double> gateMass, int chosen)
{
    Load load;
    load.selections = std::move(selections);
    load.gateMass = std::move(gateMass);
    const auto experts = static_cast<double>(load.selections.size());
    double total = 0;
    for (const auto count : load.selections)
        total += static_cast<double>(count);
    load.dead = static_cast<int>(std::count(load.selections.begin(), load.selections.end(), 0));
    if (experts < 2 || total == 0) {
        load.entropy = load.expectedEntropy = experts < 2 ? 1 : 0;
        return load;
    }
    double entropy = 0;
    for (const auto count : load.selections) {
        const double share = static_cast<double>(count) / total;
        if (share > 0)
            entropy -= share * std::log(share);
    }
    load.entropy = std::clamp(entropy / std::log(experts), 0.0, 1.0); // rounding may go beyond
    load.expectedEntropy = expectedLoadEntropy(static_cast<int>(load.selections.size()), chosen, total / chosen);
    return load;
}

Load loadOf(const SiteRouting& site, int head)
{
    const int experts = site.router.experts;
    Load load;
    load.selections.assign(experts, 0);
    load.gateMass.assign(experts, 0.0);
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        for (int position = 0; position < site.router.chosen; ++position) {
            const auto slot = site.slot(token, head, position);
            const auto expert = site.experts[slot];
            ++load.selections[expert];
            load.gateMass[expert] += site.gates[slot];
        }
    }
    return loadOf(std::move(load.selections), std::move(load.gateMass), site.router.chosen);
}

DoubtThreshold doubtThreshold(const SiteRouting& site, int head)
{
    std::vector<float> margins;
    margins.reserve(static_cast<std::size_t>(site.tokens));
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        const float margin = site.margins[site.margin(token, head)];
        if (!std::isnan(margin))
            margins.push_back(margin);
    }
    if (margins.empty())
        return {};
    const auto place = margins.begin() + static_cast<std::ptrdiff_t>((margins.size() - 1) / 100);
    std::nth_element(margins.begin(), place, margins.end());
    return {*place};
}

bool doubtful(const SiteRouting& site, std::int64_t token, int head, const DoubtThreshold& threshold)
{
    const float margin = site.margins[site.margin(token, head)];
    if (std::isnan(margin))
        return false;
    float rounding = 0;
    if (!site.logits.empty() && site.router.chosen > 0) {
        const auto last = site.experts[site.slot(token, head, site.router.chosen - 1)];
        rounding = std::abs(site.logits[site.logit(token, head, last)]) * 0x1p-8F; // 8 bits of significand
    }
    return margin < std::max(rounding, threshold.percentile);
}

} // namespace headscope::core
