// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_shades.h"

#include <algorithm>

namespace headscope::widgets {

RouterShades routerShades(const core::SiteRouting& site, int head, std::optional<int> only)
{
    RouterShades shades;
    shades.tokens.resize(static_cast<std::size_t>(site.tokens));
    const auto threshold = core::doubtThreshold(site, head);
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        auto& shade = shades.tokens[static_cast<std::size_t>(token)];
        shade.doubtful = core::doubtful(site, token, head, threshold);
        for (int position = 0; position < site.router.chosen; ++position) {
            const auto slot = site.slot(token, head, position);
            shades.largestGate = std::max(shades.largestGate, site.gates[slot]);
            const bool shown = only ? site.experts[slot] == *only : position == 0; // slots are in order of descending gate
            if (shown) {
                shade.expert = static_cast<std::int16_t>(site.experts[slot]);
                shade.strength = site.gates[slot];
            }
        }
    }
    if (shades.largestGate > 0)
        for (auto& shade : shades.tokens)
            shade.strength /= shades.largestGate;
    return shades;
}

} // namespace headscope::widgets
