// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/arguments.h"
#include "core/nn/feed_forward.h"
#include "core/nn/language_model.h"
#include "core/nn/weights.h"

#include <string>

namespace headscope::core::moe_attention {

/// What kind of attention the keys of a layer show.
enum class AttentionKind : std::uint8_t { HeadMixtureRelative, HeadMixtureRotary, Slots, DenseRelative, DenseRotary };

/// Everything about a checkpoint that holds for all its layers, from the shapes where they tell it and from the arguments otherwise.
struct Configuration {
    AttentionKind attention = AttentionKind::HeadMixtureRelative;
    bool expertFeedForward = false;
    std::int64_t vocabulary = 0;
    std::int64_t embeddingWidth = 0;
    std::int64_t width = 0; // d
    int layers = 0;
    int heads = 0;          // chosen experts for Slots
    bool preNorm = true;
    nn::NormPlacement placement = nn::NormPlacement::Pre;
    Visibility visibility;
    nn::Activation activation = nn::Activation::Relu;
    double embeddingScale = 1;
    std::string layerVariant; // `transformer.variant` without a suffix; empty when not given
};

/// Throws Error where shapes or arguments contradict each other, or ask for something that cannot be reproduced.
Configuration readConfiguration(const nn::Weights& weights, Arguments& arguments);

/// "unique_layers.3."
std::string layerPrefix(int layer);

} // namespace headscope::core::moe_attention
