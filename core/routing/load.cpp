// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/load.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::core {

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
    load.entropy = entropy / std::log(experts);
    // The plug-in entropy is short by Σ_e var(f_e) / 2f_e on average. Each position chooses k different experts, so var(n(e)) = N·k/E·(1 - k/E),
    // which gives (E - k) / 2kN; for k = 1 it is Miller's (1955) (E - 1) / 2N, for k = E there is nothing to be short of.
    load.expectedEntropy = std::max(0.0, 1 - std::max(0.0, experts - chosen) / (2 * total) / std::log(experts));
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
