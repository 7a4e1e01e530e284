// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/moe_attention.h"

#include "core/families/moe_attention/assemble.h"
#include "core/families/moe_attention/keys.h"
#include "core/families/moe_attention/old_names.h"
#include "core/families/moeut_training.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace moe_attention {
namespace {

std::string variantName(const Configuration& configuration)
{
    const auto mixtures = configuration.expertFeedForward ? "SwitchAll" : "SwitchHead";
    switch (configuration.attention) {
    case AttentionKind::HeadMixtureRelative: return fmt::format("{} (Transformer-XL positions)", mixtures);
    case AttentionKind::HeadMixtureRotary: return fmt::format("{} (rotary positions)", mixtures);
    case AttentionKind::Slots: return configuration.expertFeedForward ? "MoA baseline with mixture feed-forward" : "MoA baseline";
    case AttentionKind::DenseRelative: return configuration.expertFeedForward ? "Transformer-XL with mixture feed-forward" : "dense Transformer-XL baseline";
    case AttentionKind::DenseRotary: return configuration.expertFeedForward ? "rotary transformer with mixture feed-forward" : "dense rotary baseline";
    }
    return {};
}

} // namespace
} // namespace moe_attention

bool isMoeAttention(const Checkpoint& checkpoint)
{
    const bool trained = std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), [](const TensorView& tensor) {
        return tensor.name.starts_with("unique_layers.") && tensor.name.find(".self_attn.") != std::string::npos;
    });
    return trained && !isMoeutTraining(checkpoint); // the same module names
}

std::shared_ptr<const Model> openMoeAttention(const FamilyInput& input)
{
    using namespace moe_attention;
    Arguments arguments(input.checkpoint, trainingTable);
    const auto renamed = withTodaysNames(input.checkpoint, arguments);
    if (renamed)
        arguments.note("The file has the attention tensors' old names; they were read as those of today.");
    nn::Weights weights(renamed ? *renamed : input.checkpoint, input.compute, input.weightsMode(), input.progress);
    const auto configuration = readConfiguration(weights, arguments, input.options);
    auto parts = readEnds(weights, configuration);
    for (int layer = 0; layer < configuration.layers; ++layer)
        parts.layers.push_back(readLayer(weights, arguments, configuration, {layer, modulePrefix(layer), std::nullopt}));
    refuseUnknownTensors(weights, arguments);

    ModelInfo info;
    info.family = moeAttentionFamily.name;
    info.variant = variantName(configuration);
    describe(parts, configuration, info);
    auto tokenizer = describeTexts(input, weights, arguments, info);
    return std::make_shared<nn::LanguageModel>(std::move(parts), std::move(info), std::move(tokenizer));
}

} // namespace headscope::core
