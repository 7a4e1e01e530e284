// SPDX-License-Identifier: GPL-3.0-or-later
// The baselines: mixture of attention heads (one router picks query and output projection), dense Transformer-XL, dense rotary.
#include "core/families/moe_attention/blocks.h"
#include "core/families/moe_attention/consistency.h"

#include <ATen/ops/stack.h>

#include <fmt/format.h>

#include <cmath>

namespace headscope::core::moe_attention {
namespace {

GateKind slotGate(Arguments& arguments)
{
    const auto mode = arguments.textInUse("moa.mode");
    if (mode == "moa")
        return GateKind::SoftmaxAll;
    if (mode != "my")
        arguments.refuse("moa.mode", mode, "moa and my are");
    const auto selection = arguments.textInUse("moe.att.selection_mode");
    if (selection == "sigmoid")
        return GateKind::Sigmoid;
    if (selection == "softmax")
        return GateKind::SoftmaxChosen;
    arguments.refuse("moe.att.selection_mode", selection, "sigmoid and softmax are");
}

/// One number, [1].
double learnedScale(nn::Weights& weights, const Arguments& arguments, const std::string& name)
{
    if (weights.shape(name).size() > 1)
        arguments.contradiction(fmt::format("the tensor \"{}\" has {} dimensions, but it should be a single number.", name, weights.shape(name).size()));
    return weights.scalar(name);
}

/// The two halves of dense key-value weights: rows of the relative baseline go head by head (K then V of head 0, K then V of head 1, …),
/// those of the rotary one all K, then all V.
void splitKeyValue(const at::Tensor& rows, std::int64_t heads, std::int64_t width, bool headMajor, nn::HeadMixtureAttention& block)
{
    const auto d = rows.size(1);
    if (headMajor) {
        const auto byHead = rows.view({heads, 2, width, d});
        block.key.weight = byHead.select(1, 0).reshape({heads * width, d});
        block.value.weight = byHead.select(1, 1).reshape({heads * width, d});
    } else {
        block.key.weight = rows.narrow(0, 0, heads * width);
        block.value.weight = rows.narrow(0, heads * width, heads * width);
    }
}

} // namespace

std::shared_ptr<const nn::AttentionBlock> slotAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    const auto prefix = place.prefix + "self_attn.";
    const auto& queries = weights.shape(prefix + "data_to_q");
    if (queries.size() != 3)
        arguments.contradiction(fmt::format("\"{}data_to_q\" is not a stack of expert matrices.", prefix));
    const auto experts = queries[0];
    const auto width = queries[2];
    const auto d = configuration.width;
    if (configuration.heads > experts)
        arguments.contradiction(fmt::format("transformer.n_heads is {} (the experts a token chooses), but there are only {} experts.",
                                            configuration.heads, experts));
    confirmHeadWidth(arguments, width, d, configuration.heads, prefix + "data_to_q");
    confirmExperts(arguments, 'v', experts, prefix + "data_to_q");
    auto block = std::make_shared<nn::SlotAttention>();
    block->address = {Stack::None, place.depth, Block::Self};
    block->width = static_cast<int>(width);
    block->router.rule = {1, static_cast<int>(experts), configuration.heads, slotGate(arguments)};
    block->router.matrix = weights.get(prefix + "sel_dst", {experts, d});
    block->router.router.address = {Stack::None, place.depth, Block::Self, Site::QO, std::nullopt};
    block->router.router.experts = block->router.rule.experts;
    block->router.router.chosen = block->router.rule.chosen;
    block->router.router.gate = block->router.rule.gate;
    block->router.router.side = Side::Destination;
    block->router.router.weightsGroup = place.weightsGroup;
    block->queryExperts = weights.get(prefix + "data_to_q", {experts, d, width});
    const auto keyValue = weights.get(prefix + "data_to_kv", {d, 2 * width}).t(); // x@W: columns are K, then V
    block->keyProjection = keyValue.narrow(0, 0, width).contiguous();
    block->valueProjection = keyValue.narrow(0, width, width).contiguous();
    block->outputExperts = weights.get(prefix + "out_proj", {experts, width, d});
    block->positions.relative = weights.get(prefix + "pos_to_pk", {width, d});
    block->scale = learnedScale(weights, arguments, prefix + "scale");
    block->visibility = configuration.visibility;
    return block;
}

std::shared_ptr<const nn::AttentionBlock> denseAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    const auto prefix = place.prefix + "self_attn.";
    const bool relative = configuration.attention == AttentionKind::DenseRelative;
    const std::int64_t heads = configuration.heads;
    const auto d = configuration.width;
    const auto rows = weights.shape(prefix + "data_to_q.weight").empty() ? 0 : weights.shape(prefix + "data_to_q.weight")[0];
    if (rows == 0 || rows % heads != 0)
        arguments.contradiction(fmt::format("\"{}data_to_q.weight\" has {} rows, which {} heads (transformer.n_heads) do not divide.", prefix, rows, heads));
    const auto width = rows / heads;
    confirmHeadWidth(arguments, width, d, heads, prefix + "data_to_q.weight");
    auto block = std::make_shared<nn::HeadMixtureAttention>();
    block->address = {Stack::None, place.depth, Block::Self};
    block->heads = configuration.heads;
    block->width = block->valueWidth = static_cast<int>(width);
    block->query.weight = weights.get(prefix + "data_to_q.weight", {rows, d});
    splitKeyValue(weights.get(prefix + "data_to_kv.weight", {2 * rows, d}), heads, width, relative, *block);
    block->output.weight = weights.get(prefix + (relative ? "multi_head_merge.weight" : "out_proj.weight"), {d, rows});
    block->visibility = configuration.visibility;
    if (relative) {
        block->positions.relative = weights.get(prefix + "pos_to_pq.weight", {rows, d});
        block->positions.contentBias = weights.get(prefix + "global_content_bias", {heads, width});
        block->positions.positionBias = weights.get(prefix + "global_pos_bias", {heads, width});
        block->scale = learnedScale(weights, arguments, prefix + "scale");
        weights.ignore(prefix + "s_bias");
    } else {
        block->positions.rotary = rotary(arguments, configuration, width);
        block->scale = 1 / std::sqrt(static_cast<double>(width));
    }
    return block;
}

} // namespace headscope::core::moe_attention
