// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/stats/router_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

// What a router likes, from weights alone and without any corpus: the scores it gives to the embedding of every token
// (WeightView::scores, core/trace/weight_view.h).

/// Rows of a matrix, [count, width].
struct MatrixRows {
    std::span<const float> values;
    std::size_t width = 0;

    std::size_t count() const { return width == 0 ? 0 : values.size() / width; }
    std::span<const float> row(std::size_t at) const { return values.subspan(at * width, width); }
};

/// One token that an expert likes.
struct Preference {
    std::uint32_t token = 0; // row of the embedding
    float score = 0;
    /// Score minus the mean over the experts: what sets this expert apart from the others.
    float contrast = 0;
};
/// `scores` is [tokens, experts]. [E] of at most `top` tokens, by descending contrast, ties by ascending token.
std::vector<std::vector<Preference>> preferences(std::span<const float> scores, int experts, std::size_t top);

/// Cosine of every pair of rows, [count, count]; NaN where a row is zero. Of router rows: how alike the tastes of two
/// experts are; of the flattened matrices of experts: how alike what they do is.
std::vector<float> cosineSimilarities(const MatrixRows& rows, const Progress& progress = {});

} // namespace headscope::core
