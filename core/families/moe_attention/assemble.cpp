// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/assemble.h"

#include "core/families/moe_attention/blocks.h"
#include "core/families/moe_attention/consistency.h"
#include "core/families/text_policy.h"

#include <fmt/format.h>

namespace headscope::core::moe_attention {
namespace {

std::shared_ptr<const nn::AttentionBlock> attention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    switch (configuration.attention) {
    case AttentionKind::HeadMixtureRelative:
    case AttentionKind::HeadMixtureRotary: return headMixtureAttention(weights, arguments, configuration, place);
    case AttentionKind::Slots: return slotAttention(weights, arguments, configuration, place);
    case AttentionKind::DenseRelative:
    case AttentionKind::DenseRotary: break;
    }
    return denseAttention(weights, arguments, configuration, place);
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

nn::LayerNorm norm(nn::Weights& weights, const Configuration& configuration, const std::string& name)
{
    if (!configuration.affineNorms && !weights.has(name + ".weight"))
        return {};
    return {weights.get(name + ".weight", {configuration.width}), weights.get(name + ".bias", {configuration.width})};
}

} // namespace

nn::Layer readLayer(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place, LayerNormNames norms)
{
    nn::Layer layer;
    layer.placement = configuration.placement;
    layer.norm1 = norm(weights, configuration, place.prefix + std::string(norms.attention));
    layer.norm2 = norm(weights, configuration, place.prefix + std::string(norms.feedForward));
    layer.attention = attention(weights, arguments, configuration, place);
    layer.feedForward = configuration.expertFeedForward ? expertFeedForward(weights, arguments, configuration, place)
                                                        : denseFeedForward(weights, arguments, configuration, place);
    return layer;
}

nn::LanguageModelParts readEnds(nn::Weights& weights, const Configuration& configuration)
{
    const auto d = configuration.width;
    const auto e = configuration.embeddingWidth;
    nn::LanguageModelParts parts;
    parts.compute = weights.compute();
    parts.embedding = weights.get("embedding.weight", {configuration.vocabulary, e});
    parts.embeddingScale = configuration.embeddingScale;
    if (configuration.lastLayerMemory)
        parts.lastLayerMemory = configuration.visibility;
    if (weights.has("embedding_adapter.weight"))
        parts.embeddingAdapter = nn::Linear{weights.get("embedding_adapter.weight", {d, e}), weights.get("embedding_adapter.bias", {d})};
    if (weights.has("out_norm.weight"))
        parts.outputNorm = norm(weights, configuration, "out_norm");
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
void refuseUnknownTensors(nn::Weights& weights, const Arguments& arguments)
{
    ignoreKnown(weights, arguments.table());
    const auto unused = weights.unused();
    if (unused.empty())
        return;
    arguments.contradiction(fmt::format("{} tensor{} belong{} to no part of the model that Headscope knows (\"{}\"{}); the numbers would be wrong, so "
                                        "the checkpoint is not opened.", unused.size(), unused.size() == 1 ? "" : "s", unused.size() == 1 ? "s" : "",
                                        unused.front(), unused.size() > 1 ? ", …" : ""));
}

void describe(const nn::LanguageModelParts& parts, const Configuration& configuration, ModelInfo& info)
{
    info.vocabulary = configuration.vocabulary;
    info.width = configuration.width;
    info.heads = configuration.heads;
    info.headWidth = headWidthOf(parts.layers.front());
    info.positions = positionsOf(configuration, parts.layers.front());
    info.norm = configuration.preNorm ? "pre-LN" : "post-LN";
    info.visibility = configuration.visibility;
    nn::describeLayers(parts.layers, info);
}

std::shared_ptr<const Tokenizer> describeTexts(const FamilyInput& input, const nn::Weights& weights, Arguments& arguments, ModelInfo& info)
{
    if (arguments.given("task"))
        arguments.textInUse("task");
    info.settings = arguments.settings();
    info.notes = arguments.notes();
    const auto task = arguments.text("task").value_or("");
    if (isByteTask(task))
        info.withoutTokenizer = "This run was trained on bytes whose ids cannot be recovered without its vocabulary: name its vocabulary.pth (in the "
                                "run's cache folder) with --tokenizer, or give the text as ids.";
    return describeCommon(input, weights, [&task](const std::filesystem::path& tokenizer) { return trainingTextPolicy(task, tokenizer); }, info);
}

} // namespace headscope::core::moe_attention
