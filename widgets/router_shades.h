// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// How one router's decision about one token is drawn.
struct TokenShade {
    std::int16_t expert = -1; // -1: nothing to show
    bool doubtful = false;
    float strength = 0; // gate divided by the router's largest gate in this text

    bool operator==(const TokenShade&) const = default;
};

/// The decisions of one router over a text, ready to draw.
struct RouterShades {
    std::vector<TokenShade> tokens;
    float largestGate = 0; // strength 1
};

/// The expert with the largest gate of every token or, with `only`, that expert where it was chosen.
RouterShades routerShades(const core::SiteRouting& site, int head, std::optional<int> only = std::nullopt);

} // namespace headscope::widgets
