// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"
#include "core/compare/comparison.h"

#include <string>
#include <vector>

namespace headscope::core {

// Attention maps of two models on the same text. Where tokenizers differ a map is taken over units: the columns of a unit
// are summed (what it is looked at in all), its rows averaged (where it looks on the mean).

/// A map of A and the one of B that corresponds to it.
struct MapPair {
    MapRef a, b;
    bool operator==(const MapPair&) const = default;
};
struct MapPairs {
    std::vector<MapPair> pairs;     // in order of A's forward pass
    std::vector<std::string> notes; // sentences: which blocks have no corresponding maps, and why
};

/// Which maps correspond follows from the routers: heads that were matched, experts of a `qo` router that were matched.
/// Blocks without routers keep the numbers of their heads where the comparison is one by numbers (Matching::Identity), else
/// nothing tells them.
MapPairs mapPairs(const Comparison& comparison, const Trace& a, const Trace& b);

/// How alike the rows of two maps are, [units]: NaN where one of them is blank (its expert was not chosen). What is attended
/// to outside of all units (specials) is one more column of both.
struct AttentionComparison {
    std::vector<float> cosine;     // Σ_j a_ij·b_ij / (‖a_i‖·‖b_i‖), in [0, 1]
    std::vector<float> divergence; // Jensen-Shannon, bits, in [0, 1]; rows are divided by their sums
    double meanCosine = 0;         // over the rows that have one; NaN without any
    double meanDivergence = 0;
};

/// Row by row: nothing of the size of a map is ever in memory. Throws Error when a trace kept no such map; Cancelled.
AttentionComparison compareAttention(const ComparedTraces& traces, const Alignment& alignment, const MapPair& maps,
                                     const Progress& progress = {});

/// A's map minus B's. `area` and the result are in tokens where the tokens are the same, else in units; NaN where one of the
/// two is blank. Throws Error when a trace kept no such map.
Tile differenceTile(const ComparedTraces& traces, const Alignment& alignment, const MapPair& maps, const TileArea& area);

} // namespace headscope::core
