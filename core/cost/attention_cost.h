// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace headscope::core {

// What attention costs, counted from sizes alone, as the SwitchHead paper counts (Csordás, Piękos, Irie, Schmidhuber 2023,
// Eq. 11-13 and their counterparts with Transformer-XL memory): multiply-accumulates and stored floats of one layer for one
// sequence. Symbols: T tokens, C = (memory + T)/T, n heads of width h, d width of the model, k experts computed for every
// token.

/// The weight matrices of one projection, of all heads together.
struct ProjectionCount {
    int stored = 0;     // in the checkpoint: n dense, n·E of a mixture, E where all heads share their experts
    int computed = 0;   // for every token: n dense, n·k of a mixture
    bool gated = false; // each computed product of width h is multiplied with a gate
};

/// Attention of one layer.
struct AttentionShape {
    std::int64_t width = 0;      // d
    int heads = 0;               // n: attention matrices that are computed; for MoA the chosen experts
    int keyHeads = 0;            // heads of keys and values; for MoA 1
    std::int64_t headWidth = 0;  // h, of queries and keys
    std::int64_t valueWidth = 0; // of values
    int positionHeads = 0;       // heads of the projection of relative positions; 0 without
    ProjectionCount query, key, value, output;
    std::int64_t routerRows = 0; // of all router matrices, each row d wide
};

/// Tokens of a sequence and how many before it are attended to.
struct SequenceLength {
    std::int64_t tokens = 0; // T
    std::int64_t memory = 0; // (C - 1)·T

    /// C
    double context() const { return tokens == 0 ? 1 : static_cast<double>(memory + tokens) / static_cast<double>(tokens); }
};

struct AttentionCost {
    /// Σ over q, k, v, o of T·d·h·computed (+ T·h·computed where gated) + C·T²·n·(h + h_v) + 2·C·T·d·h·positionHeads.
    ///
    /// As published: it counts neither the routers (`routing`), nor the product of queries with positions (C·T²·n·h), nor
    /// the softmax; both halves of a causal map are counted.
    double multiplyAccumulates = 0;
    double routing = 0; // T·d·routerRows
    /// T·(n·h + keyHeads·(h + h_v) + n·h_v) + 2·C·T²·n + 2·C·T·h·positionHeads: queries, keys, values, outputs of heads;
    /// scores before and after the softmax; projected positions.
    double storedFloats = 0;
    std::int64_t parameters = 0; // of projections, that of positions included; without biases and routers
    int matricesStored = 0;      // projection matrices
    int matricesComputed = 0;    // for every token
    int attentionMatrices = 0;   // n

    AttentionCost& operator+=(const AttentionCost& other);
};

AttentionCost attentionCost(const AttentionShape& shape, const SequenceLength& length);

} // namespace headscope::core
