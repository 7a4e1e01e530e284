// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/arguments.h"
#include "core/families/model.h"
#include "core/nn/feed_forward.h"
#include "core/nn/language_model.h"
#include "core/nn/weights.h"

#include <optional>
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
    bool remembers = false; // keys and values are made from memory and segment together, also where the memory is empty
    bool lastLayerMemory = false; // memory is the last layer's output
    nn::Activation activation = nn::Activation::Relu;
    std::int64_t largest = 0; // of the activation
    double embeddingScale = 1;
    std::string layerVariant; // `transformer.variant` without a suffix; empty when not given
    bool affineNorms = true;   // off: layer norms have no weight and bias
    bool evenRotation = false; // an odd number of rotated dimensions is rounded down; else it is refused
    bool normQkPossible = true; // the layers pass `moe.att.norm_qk` on
};

/// Throws Error where shapes or arguments contradict each other, or ask for something that cannot be reproduced.
Configuration readConfiguration(const nn::Weights& weights, Arguments& arguments, const OpenOptions& wanted);

/// One application of a layer module in the forward pass.
struct LayerPlace {
    int depth = 0;
    std::string prefix;                      // of its tensors: "unique_layers.3."
    std::optional<std::string> weightsGroup; // modules that are applied more than once
};

/// "unique_layers.3."
std::string modulePrefix(int module);
/// How many modules there are. Throws Error when they are not numbered without holes.
int countModules(const nn::Weights& weights, const Arguments& arguments);

// Parts that other training codes with the same layer modules share.

AttentionKind attentionKind(const nn::Weights& weights, const Arguments& arguments);
/// Vocabulary, widths and norms, from the shapes.
void readShapes(const nn::Weights& weights, Arguments& arguments, Configuration& configuration);
void readActivation(Arguments& arguments, bool gelu, Configuration& configuration);
/// Transformer-XL memory as a mask: what one query sees in the segments before its own; and what the memory holds. As in the
/// training code's own evaluation, but for what is wanted otherwise (OpenOptions::memoryBlocks, segment).
void readMemory(Arguments& arguments, Configuration& configuration, const OpenOptions& wanted);
/// Throws Error where the number of heads does not fit the tensors and the other hyper-parameters.
int headCount(const nn::Weights& weights, Arguments& arguments, std::int64_t width);
/// Throws MissingParameters.
void requireHyperParameters(const nn::Weights& weights, const Arguments& arguments);

} // namespace headscope::core::moe_attention
