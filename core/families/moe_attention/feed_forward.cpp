// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/blocks.h"

#include <fmt/format.h>

namespace headscope::core::moe_attention {
namespace {

nn::LogitNorm logitNorm(Arguments& arguments)
{
    const std::string_view key = "moe.sel_norm";
    const auto mode = arguments.table().knows(key) ? arguments.text(key) : std::nullopt;
    if (!mode)
        return nn::LogitNorm::None;
    arguments.textInUse(key);
    if (*mode == "cos")
        return nn::LogitNorm::Cosine;
    if (*mode == "weights")
        return nn::LogitNorm::Rows;
    if (*mode == "input")
        return nn::LogitNorm::Input;
    arguments.refuse(key, *mode, "none, cos, weights and input are");
}

GateKind gateKind(Arguments& arguments)
{
    const auto mode = arguments.textInUse("moe.selection_mode");
    if (!arguments.is("gate-ffn"))
        arguments.mention("moe.activation_after_topk");
    if (mode == "sigmoid")
        return GateKind::Sigmoid; // before or after the choice: the same numbers
    if (mode == "gate")
        return arguments.flagInUse("moe.activation_after_topk") ? GateKind::SoftmaxChosen : GateKind::SoftmaxAll;
    if (mode == "mul") // of one of the two codes
        return GateKind::Magnitude;
    arguments.refuse("moe.selection_mode", mode, "sigmoid, gate and mul are");
}

/// The training code cuts off what is behind the point: 412 · 5.05 is 2080.
void confirmInner(Arguments& arguments, std::int64_t inner, std::int64_t width, const std::string& tensor)
{
    const std::string_view key = "transformer.ff_multiplier";
    arguments.refuseNone(key);
    const auto given = arguments.number(key);
    if (given && static_cast<std::int64_t>(*given * static_cast<double>(width)) != inner)
        arguments.note(fmt::format("{}, which says {}, but \"{}\" has {} rows: the shapes are used.", arguments.said(key),
                                   static_cast<std::int64_t>(*given * static_cast<double>(width)), tensor, inner));
}

std::int64_t largest(const Arguments& arguments, const Configuration& configuration, std::int64_t width)
{
    if (configuration.activation == nn::Activation::WithoutLargest && (configuration.largest < 1 || configuration.largest > width))
        arguments.contradiction(fmt::format("transformer.topk_value is {}, but the feed-forward layers are {} wide.", configuration.largest, width));
    return configuration.largest;
}

} // namespace

std::shared_ptr<const nn::FeedForward> denseFeedForward(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    const auto prefix = place.prefix;
    const auto d = configuration.width;
    auto ffn = std::make_shared<nn::DenseFeedForward>();
    ffn->upWeight = weights.get(prefix + "linear1.weight", {-1, d});
    const auto inner = ffn->upWeight.size(0);
    confirmInner(arguments, inner, d, prefix + "linear1.weight");
    ffn->upBias = weights.get(prefix + "linear1.bias", {inner});
    ffn->downWeight = weights.get(prefix + "linear2.weight", {d, inner});
    ffn->downBias = weights.get(prefix + "linear2.bias", {d});
    ffn->activation = configuration.activation;
    ffn->largest = largest(arguments, configuration, inner);
    return ffn;
}

std::shared_ptr<const nn::FeedForward> expertFeedForward(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    const auto prefix = place.prefix + "pkm.";
    if (const std::string_view key = "moe.topk_mode"; arguments.table().knows(key))
        if (const auto topK = arguments.textInUse(key); topK != "full")
            arguments.refuse(key, topK, "only the full top-k is");
    const auto d = configuration.width;
    auto ffn = std::make_shared<nn::ExpertFeedForward>();
    ffn->up = weights.get(prefix + "keys", {-1, d, -1});
    const auto experts = ffn->up.size(0);
    const auto size = ffn->up.size(2);
    ffn->down = weights.get(prefix + "values", {experts, size, d});
    const auto keys = fmt::format("\"{}keys\"", prefix);
    arguments.confirm("moe.n_experts", experts, keys);
    arguments.confirm("moe.expert_size", size, keys);
    const auto chosen = arguments.integerInUse("pkm.n_heads"); // so named in the training code: how many experts a token uses
    if (chosen < 1 || chosen > experts)
        arguments.contradiction(fmt::format("pkm.n_heads is {} (the experts a token chooses), but there are {} experts.", chosen, experts));
    ffn->activation = configuration.activation;
    ffn->largest = largest(arguments, configuration, size);
    ffn->router.rule = {1, static_cast<int>(experts), static_cast<int>(chosen), gateKind(arguments)};
    ffn->router.norm = logitNorm(arguments);
    ffn->router.matrix = weights.get(prefix + "expert_sel", {experts, d});
    ffn->router.router.address = {Stack::None, place.depth, Block::Ffn, Site::Mlp, std::nullopt};
    ffn->router.router.experts = ffn->router.rule.experts;
    ffn->router.router.chosen = ffn->router.rule.chosen;
    ffn->router.router.gate = ffn->router.rule.gate;
    ffn->router.router.side = Side::Destination;
    ffn->router.router.weightsGroup = place.weightsGroup;
    if (arguments.table().knows("moe.bias")) {
        arguments.confirm("moe.sel_bias", weights.has(prefix + "sel_bias"), "the file");
        arguments.confirm("moe.bias", weights.has(prefix + "bias"), "the file");
    }
    if (weights.has(prefix + "sel_bias"))
        ffn->router.bias = weights.get(prefix + "sel_bias", {experts});
    if (weights.has(prefix + "bias"))
        ffn->upBias = weights.get(prefix + "bias", {experts, size});
    if (weights.has(prefix + "o_bias"))
        ffn->downBias = weights.get(prefix + "o_bias", {d});
    return ffn;
}

} // namespace headscope::core::moe_attention
