// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/family.h"
#include "core/families/moe_attention/configuration.h"

#include <string>
#include <string_view>

namespace headscope::core::moe_attention {

/// Where a layer's norms lie, below the layer's prefix.
struct LayerNormNames {
    std::string_view attention = "norm1";
    std::string_view feedForward = "norm2";
};

nn::Layer readLayer(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place,
                    LayerNormNames norms = {});

/// What stands before and behind the layers: embedding, adapters, output norm, output head.
nn::LanguageModelParts readEnds(nn::Weights& weights, const Configuration& configuration);

/// A tensor that nothing uses means another model than the one assembled: throws Error naming it.
void refuseUnknownTensors(nn::Weights& weights, const Arguments& arguments);

/// Fills in what the configuration and the layers say.
void describe(const nn::LanguageModelParts& parts, const Configuration& configuration, ModelInfo& info);

/// The settings and notes of the arguments, and describeCommon with the training code's text policies.
std::shared_ptr<const Tokenizer> describeTexts(const FamilyInput& input, const nn::Weights& weights, Arguments& arguments, ModelInfo& info);

} // namespace headscope::core::moe_attention
