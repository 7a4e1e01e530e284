// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/routing/address.h"

#include <cstdint>
#include <vector>

namespace headscope::core {

class Model;

/// A router and its experts as weights alone show them, without any text. Plain values.
struct WeightView {
    int experts = 0;        // E
    std::int64_t width = 0; // of what the router reads
    /// [vocabulary, E]: the router's logits for every token's embedding, normed as the layer norms what it reads. In the
    /// first layer that is what it decides by, save for positions that are added to the embedding; deeper down it is a hint,
    /// as the layers before have written there.
    std::vector<float> scores;
    std::vector<float> routerRows; // [E, width]
    /// [E, E]: cosine of the experts' flattened matrices (all that the router picks together, side by side); empty where
    /// there are none.
    std::vector<float> expertCosines;
};

/// What models can do whose weights may be looked at.
class WeightViews
{
public:
    virtual ~WeightViews() = default;
    /// Throws Error when the model has no such router or was opened for a description only; Cancelled.
    virtual WeightView weightView(const RouterAddress& router, const Progress& progress = {}) const = 0;
};

/// nullptr when this model cannot.
const WeightViews* weightViews(const Model& model);

} // namespace headscope::core
