// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/stats/router_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

// What a router likes, from weights alone and without any corpus: the scores it gives to the embedding of every token. For a router of the first
// layer that reads a normalised embedding this is its logit for the token where nothing was mixed in yet; deeper down it is a hint, as what a
// router reads there has been written to by the layers before.

/// Rows of a matrix, [count, width].
struct MatrixRows {
    std::span<const float> values;
    std::size_t width = 0;

    std::size_t count() const { return width == 0 ? 0 : values.size() / width; }
    std::span<const float> row(std::size_t at) const { return values.subspan(at * width, width); }
};

/// What happens to an embedding before the router reads it.
struct InputNorm {
    enum class Kind : std::uint8_t {
        None,
        Layer, // (x - mean)/√(variance + ε), biased variance (Ba et al. 2016)
        Rms,   // x/√(mean of squares + ε) (Zhang, Sennrich 2019)
    };
    Kind kind = Kind::None;
    double epsilon = 1e-5;
    std::span<const float> gain; // [width]; empty: 1
    std::span<const float> bias; // [width]; empty: 0
};

/// score(t, e) = w_e · norm(x_t), [tokens, experts]. `router` is [experts, width], `embedding` [tokens, width] of the same width; throws
/// std::invalid_argument otherwise. Throws Cancelled.
std::vector<float> embeddingScores(const MatrixRows& router, const MatrixRows& embedding, const InputNorm& norm, const Progress& progress = {});

/// One token that an expert likes.
struct Preference {
    std::uint32_t token = 0; // row of the embedding
    float score = 0;
    /// Score minus the mean over the experts: what sets this expert apart from the others.
    float contrast = 0;
};
/// [E] of at most `top` tokens, by descending contrast, ties by ascending token.
std::vector<std::vector<Preference>> preferences(std::span<const float> scores, int experts, std::size_t top);

/// Cosine of every pair of rows, [count, count]; NaN where a row is zero. Of router rows: how alike the tastes of two experts are; of the
/// flattened matrices of experts: how alike what they do is.
std::vector<float> cosineSimilarities(const MatrixRows& rows, const Progress& progress = {});

} // namespace headscope::core
