// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/trace/trace.h"

#include <ATen/core/TensorBody.h>

#include <cstdint>

namespace headscope::core::nn {

/// Softmax attention in the form that every flavour reduces to. Symbols as in AttentionKeep: score(i, j) = q_i·k_j + p_i·r_(i-j), everything
/// already scaled, rotated and biased. n queries are the last n of the S positions that have keys.
struct ScoredAttention {
    at::Tensor queries;         // [n, maps, width]
    at::Tensor positionQueries; // [n, maps, width]; undefined: the queries
    at::Tensor keys;            // [S, keyHeads, width]; keyHeads = maps, or 1 shared by all maps
    at::Tensor values;          // [S, keyHeads, valueWidth]
    at::Tensor relative;        // [distances + future, relativeHeads, width]: row r is for distance (distances - 1) - r; undefined: none
    std::int64_t distances = 0; // how many distances from 0 `relative` covers
    Visibility visibility;
};

struct Attended {
    at::Tensor mixed;     // [n, maps, valueWidth]
    at::Tensor logSumExp; // [n, maps]
};

/// Rows are processed in stretches, so that no tokens² matrix exists. Cancelled between stretches.
Attended attend(const ScoredAttention& input, const Progress& progress);

/// Rows computed together; also how many rows `relative` needs for negative distances (keys after the query, masked anyway).
inline constexpr std::int64_t attentionStretch = 128;

} // namespace headscope::core::nn
