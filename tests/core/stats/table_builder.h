// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/router_table.h"

#include <cstdint>
#include <vector>

namespace headscope::core::testing {

/// What a router decided at one position.
struct Decision {
    std::uint32_t token = 0;
    std::vector<std::uint32_t> experts; // k different ones
    std::uint32_t document = 0;
    std::vector<double> gates = {}; // [k]; 1 each when left out
};

/// The table that counting these decisions gives, with the document null and, for `groups` > 0, document d in group d mod
/// groups. Token t is called "t<t>" and has the id 100 + t.
RouterTable tableOf(const std::vector<Decision>& decisions, std::uint32_t tokens, int experts, int groups = 0);

} // namespace headscope::core::testing
