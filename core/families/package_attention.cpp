// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/package_attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace headscope::core {
namespace {

std::int64_t rows(const nn::Weights& weights, const std::string& name)
{
    return weights.shape(name).empty() ? 0 : weights.shape(name)[0];
}

/// Experts per head from the rows of a router.
std::int64_t expertsOf(const nn::Weights& weights, const Arguments& arguments, const PackageAttention& module, const std::string& name)
{
    const auto all = rows(weights, module.prefix + name);
    if (all == 0 || all % module.heads != 0)
        arguments.contradiction(fmt::format("\"{}{}\" has {} rows, which {} heads (n_heads) do not divide.", module.prefix, name, all, module.heads));
    return all / module.heads;
}

nn::RouterLayer routerLayer(nn::Weights& weights, const Arguments& arguments, const PackageAttention& module, Site site)
{
    const std::string name = site == Site::V ? "sel_v" : "sel_o";
    const auto experts = expertsOf(weights, arguments, module, name);
    const auto chosen = experts == 1 ? 1 : module.chosen;
    if (chosen < 1 || chosen > experts)
        arguments.contradiction(fmt::format("{} experts per token are asked for, but \"{}{}\" has {} per head.", chosen, module.prefix, name, experts));
    nn::RouterLayer layer;
    layer.perHead = true;
    layer.matrix = weights.get(module.prefix + name, {module.heads * experts, module.width});
    layer.rule = {static_cast<int>(module.heads), static_cast<int>(experts), static_cast<int>(chosen),
                  experts == 1 ? GateKind::OutputGate : GateKind::Sigmoid};
    layer.router.address = {Stack::None, module.depth, Block::Self, site, std::nullopt};
    layer.router.experts = layer.rule.experts;
    layer.router.chosen = layer.rule.chosen;
    layer.router.gate = layer.rule.gate;
    layer.router.side = site == Site::V ? Side::Source : Side::Destination;
    layer.router.weightsGroup = module.weightsGroup;
    return layer;
}

nn::Rotary rotary(const Arguments& arguments, const PackageAttention& module, std::int64_t headWidth)
{
    const auto rotated = static_cast<std::int64_t>(module.rotateFraction * static_cast<double>(headWidth));
    if (rotated < 0 || rotated > headWidth || rotated % 2 != 0 || module.rotaryBase <= 1)
        arguments.contradiction(fmt::format("rotate_fraction {} of a head width of {} rotates {} dimensions (base {}), which the package cannot do.",
                                            module.rotateFraction, headWidth, rotated, module.rotaryBase));
    return {rotated, module.rotaryBase};
}

/// Values and output: expert mixtures, or with a single expert dense matrices of which the output is seen as one expert per head.
void readValueAndOutput(nn::Weights& weights, const Arguments& arguments, const PackageAttention& module, nn::HeadMixtureAttention& block)
{
    const auto h = module.heads;
    const auto d = module.width;
    block.output.router = routerLayer(weights, arguments, module, Site::O);
    if (block.output.router->rule.gate == GateKind::OutputGate) {
        const std::int64_t width = block.width;
        block.value.weight = weights.get(module.prefix + "v", {h * width, d});
        block.output.weight = weights.get(module.prefix + "o", {d, h * width}).view({d, h, width}).permute({1, 2, 0}).contiguous();
        block.valueWidth = block.width;
        return;
    }
    block.value.router = routerLayer(weights, arguments, module, Site::V);
    const auto experts = h * block.value.router->rule.experts;
    block.value.weight = weights.get(module.prefix + "v", {experts, d, -1});
    const auto width = block.value.weight.size(2);
    block.output.weight = weights.get(module.prefix + "o", {h * block.output.router->rule.experts, width, d});
    block.valueWidth = static_cast<int>(width);
}

} // namespace

std::shared_ptr<const nn::AttentionBlock> packageAttention(nn::Weights& weights, const Arguments& arguments, const PackageAttention& module)
{
    const auto inner = rows(weights, module.prefix + "q.weight");
    if (module.heads < 1 || inner == 0 || inner % module.heads != 0)
        arguments.contradiction(fmt::format("\"{}q.weight\" has {} rows, which {} heads (n_heads) do not divide.", module.prefix, inner, module.heads));
    auto block = std::make_shared<nn::HeadMixtureAttention>();
    block->address = {Stack::None, module.depth, Block::Self};
    block->heads = static_cast<int>(module.heads);
    block->width = static_cast<int>(inner / module.heads);
    block->query.weight = weights.get(module.prefix + "q.weight", {inner, module.width});
    block->key.weight = weights.get(module.prefix + "k.weight", {inner, module.width});
    readValueAndOutput(weights, arguments, module, *block);
    block->scale = 1 / std::sqrt(static_cast<double>(block->width));
    if (weights.has(module.prefix + "pos_to_pk"))
        block->positions.relative = weights.get(module.prefix + "pos_to_pk", {inner, module.width});
    else
        block->positions.rotary = rotary(arguments, module, block->width);
    return block;
}

MissingParameter missingHeads(const nn::Weights& weights, const std::string& prefix)
{
    const auto common = std::gcd(rows(weights, prefix + "q.weight"), rows(weights, prefix + "sel_o"));
    std::vector<std::string> divisors;
    for (std::int64_t n = 1; n <= common && divisors.size() < 12; ++n)
        if (common % n == 0)
            divisors.push_back(std::to_string(n));
    auto hint = fmt::format("the attention heads: {}", fmt::join(divisors, ", "));
    return {"n_heads", std::move(hint), std::move(divisors)};
}

MissingParameter missingChosen(const nn::Weights& weights, const std::string& prefix, std::string key)
{
    return {std::move(key), "the attention experts a token chooses, from 1 to the experts per head", {}, 1, rows(weights, prefix + "sel_o")};
}

} // namespace headscope::core
