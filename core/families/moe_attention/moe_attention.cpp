// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/moe_attention.h"

#include "core/families/moe_attention/blocks.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace moe_attention {
namespace {

nn::LayerNorm norm(nn::Weights& weights, const std::string& name, std::int64_t width)
{
    if (!weights.has(name + ".weight") && !weights.has(name + ".bias"))
        return {}; // without affine
    return {weights.get(name + ".weight", {width}), weights.get(name + ".bias", {width})};
}

std::shared_ptr<const nn::AttentionBlock> attention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, int layer)
{
    switch (configuration.attention) {
    case AttentionKind::HeadMixtureRelative:
    case AttentionKind::HeadMixtureRotary: return headMixtureAttention(weights, arguments, configuration, layer);
    case AttentionKind::Slots: return slotAttention(weights, arguments, configuration, layer);
    case AttentionKind::DenseRelative:
    case AttentionKind::DenseRotary: break;
    }
    return denseAttention(weights, arguments, configuration, layer);
}

nn::Layer readLayer(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, int index)
{
    nn::Layer layer;
    layer.placement = configuration.placement;
    layer.norm1 = norm(weights, layerPrefix(index) + "norm1", configuration.width);
    layer.norm2 = norm(weights, layerPrefix(index) + "norm2", configuration.width);
    layer.attention = attention(weights, arguments, configuration, index);
    layer.feedForward = configuration.expertFeedForward ? expertFeedForward(weights, arguments, configuration, index)
                                                        : denseFeedForward(weights, configuration, index);
    return layer;
}

nn::LanguageModelParts readParts(nn::Weights& weights, Arguments& arguments, const Configuration& configuration)
{
    const auto d = configuration.width;
    const auto e = configuration.embeddingWidth;
    nn::LanguageModelParts parts;
    parts.compute = weights.compute();
    parts.embedding = weights.get("embedding.weight", {configuration.vocabulary, e});
    parts.embeddingScale = configuration.embeddingScale;
    if (weights.has("embedding_adapter.weight"))
        parts.embeddingAdapter = nn::Linear{weights.get("embedding_adapter.weight", {d, e}), weights.get("embedding_adapter.bias", {d})};
    for (int layer = 0; layer < configuration.layers; ++layer)
        parts.layers.push_back(readLayer(weights, arguments, configuration, layer));
    if (configuration.preNorm)
        parts.outputNorm = norm(weights, "out_norm", d);
    auto outputWidth = d;
    if (weights.has("output_adapter.weight")) {
        parts.outputAdapter = nn::Linear{weights.get("output_adapter.weight", {e, d}), weights.get("output_adapter.bias", {e})};
        outputWidth = e;
    }
    parts.output.weight = weights.get("output.weight", {configuration.vocabulary, outputWidth});
    parts.output.bias = weights.get("output.bias", {configuration.vocabulary});
    return parts;
}

/// A tensor that nothing here uses means another model than the one assembled.
void refuseUnknownTensors(const nn::Weights& weights, const Arguments& arguments)
{
    const auto unused = weights.unused();
    if (unused.empty())
        return;
    arguments.contradiction(fmt::format("{} tensor{} belong{} to no part of the model that Headscope knows (\"{}\"{}); the numbers would be wrong, so "
                                        "the checkpoint is not opened.", unused.size(), unused.size() == 1 ? "" : "s", unused.size() == 1 ? "s" : "",
                                        unused.front(), unused.size() > 1 ? ", …" : ""));
}

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

int headWidthOf(const nn::Layer& layer)
{
    if (const auto* heads = dynamic_cast<const nn::HeadMixtureAttention*>(layer.attention.get()))
        return heads->width;
    return dynamic_cast<const nn::SlotAttention&>(*layer.attention).width;
}

std::string positionsOf(const Configuration& configuration, const nn::Layer& layer)
{
    if (const auto* heads = dynamic_cast<const nn::HeadMixtureAttention*>(layer.attention.get());
        heads && !heads->positions.relative.defined())
        return fmt::format("rotary ({} of {} dimensions, base {})", heads->positions.rotary.rotated, heads->width, heads->positions.rotary.base);
    return configuration.attention == AttentionKind::DenseRelative ? "Transformer-XL relative, with content and position biases"
                                                                   : "Transformer-XL relative";
}

/// WikiText is encoded line by line, the others document by document; bytes cannot be recovered without the run's own vocabulary.
TextPolicy textPolicy(Arguments& arguments)
{
    const auto task = arguments.text("task").value_or("");
    if (task.starts_with("enwik8"))
        arguments.note("This run was trained on bytes whose ids are only in the run's vocabulary file: texts can be given as ids.");
    return {task.starts_with("wikitext") ? TextPolicy::Split::Lines : TextPolicy::Split::Whole, false, false};
}

} // namespace
} // namespace moe_attention

bool isMoeAttention(const Checkpoint& checkpoint)
{
    const auto any = [&checkpoint](auto&& predicate) {
        return std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), [&](const TensorView& tensor) { return predicate(tensor.name); });
    };
    const bool trained = any([](const std::string& name) { return name.starts_with("unique_layers.") && name.find(".self_attn.") != std::string::npos; });
    const bool universal = any([](const std::string& name) {
        return name.ends_with(".self_attn.norm.weight") || name.ends_with(".pkm.norm.weight") || name.ends_with(".pkm.iter");
    });
    const auto& args = checkpoint.hyperParameters;
    const bool universalArgs = args.is_object() && (args.contains("transformer.universal.group_size") || args.contains("moe.nonorm"));
    return trained && !universal && !universalArgs;
}

std::shared_ptr<const Model> openMoeAttention(const FamilyInput& input)
{
    using namespace moe_attention;
    Arguments arguments(input.checkpoint);
    nn::Weights weights(input.checkpoint, input.compute, input.weightsMode(), input.progress);
    const auto configuration = readConfiguration(weights, arguments);
    auto parts = readParts(weights, arguments, configuration);
    refuseUnknownTensors(weights, arguments);

    ModelInfo info;
    info.family = moeAttentionFamily.name;
    info.variant = variantName(configuration);
    info.vocabulary = configuration.vocabulary;
    info.width = configuration.width;
    info.heads = configuration.heads;
    info.headWidth = headWidthOf(parts.layers.front());
    info.positions = positionsOf(configuration, parts.layers.front());
    info.norm = configuration.preNorm ? "pre-LN" : "post-LN";
    info.visibility = configuration.visibility;
    nn::describeLayers(parts.layers, info);
    const auto policy = textPolicy(arguments);
    info.settings = arguments.settings();
    info.notes = arguments.notes();
    auto tokenizer = describeCommon(input, weights, policy, info);
    return std::make_shared<nn::LanguageModel>(std::move(parts), std::move(info), std::move(tokenizer));
}

} // namespace headscope::core
