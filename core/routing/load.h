// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <cstdint>
#include <vector>

namespace headscope::core {

/// The load of a router from sums that were gathered elsewhere: [experts] selections and gate mass, `chosen` = k.
Load loadOf(std::vector<std::int64_t> selections, std::vector<double> gateMass, int chosen);

/// The mean entropy of the load, divided by log E, when each of `positions` chooses k different experts of E at random:
/// n(e) is binomial(N, k/E) whatever the others do, so the mean of -Σ f_e·ln f_e is a sum over one binomial. Exact; from a
/// thousand selections an expert on its series 1 - (E - k)/(2kN·ln E) (Miller 1955 for k = 1). 1 where nothing is chosen
/// (k = E, E = 1).
double expectedLoadEntropy(int experts, int chosen, double positions);

} // namespace headscope::core
