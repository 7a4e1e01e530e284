// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <cstdint>
#include <vector>

namespace headscope::core {

/// The load of a router from sums that were gathered elsewhere: [experts] selections and gate mass, `chosen` = k.
Load loadOf(std::vector<std::int64_t> selections, std::vector<double> gateMass, int chosen);

} // namespace headscope::core
