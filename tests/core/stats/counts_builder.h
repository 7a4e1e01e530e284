// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "tests/core/stats/table_builder.h"

#include <string>
#include <vector>

namespace headscope::core::testing {

/// The counts of two routers, `layers.0.self.v.h0` and `layers.0.self.o.h0`, that decide alike; token t is spelt pieces[t]
/// and has the id 100 + t. Four bootstrap groups, documents of odd number have the tag "odd", words are the pieces without
/// their mark.
Counts countsOf(const std::vector<std::string>& pieces, const std::vector<Decision>& decisions, int experts);

/// Tokens with everything that exports have to escape, over `documents` documents.
Counts awkwardCounts(std::uint32_t documents = 2);

} // namespace headscope::core::testing
