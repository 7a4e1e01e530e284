// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/counts_comparison.h"
#include "core/export/data_table.h"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Two sets of counts that were compared, and what is written besides.
struct CountsComparisonExport {
    const Counts& a;
    const Counts& b;
    const CountsComparison& comparison;
    std::string program;              // "Headscope 0.1.0"
    std::vector<std::size_t> routers; // indices into CountsComparison::routers
    PairSettings pairs;               // of PMI: minimum of n(t), weighting, α
};

enum class CountsComparisonTable : std::uint8_t {
    Routers, // a row for every pair of routers
    Tokens,  // a row for every token and pair of matched experts: A | B | difference
};

void writeCountsComparison(std::ostream& out, TableFormat format, CountsComparisonTable table,
                           const CountsComparisonExport& what, const Progress& progress = {});

} // namespace headscope::core
