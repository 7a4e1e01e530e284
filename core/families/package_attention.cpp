// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/package_attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope::core {
namespace {

std::int64_t rows(const nn::Weights& weights, const std::string& name)
{
    return weights.shape(name).empty() ? 0 : weights.shape(name)[0];
}

/// Why a module cannot have this many heads: a part of a sentence; empty when it can. Values are as wide as keys in this package, and its
/// single expert has one row of the router for each head.
std::string whyNotHeads(const Checkpoint& checkpoint, const std::string& prefix, std::int64_t heads)
{
    const auto size = [&](const std::string& name, std::size_t index) {
        const auto shape = shapeOf(checkpoint, prefix + name);
        return index < shape.size() ? shape[index] : 0;
    };
    const auto divides = [&](const std::string& name) { return size(name, 0) % heads == 0; };
    const auto experts = shapeOf(checkpoint, prefix + "v").size() == 3;
    if (heads < 1 || heads > 4096)
        return "that is no number of heads";
    for (const std::string name : {"q.weight", "sel_o", "sel_v", "v"})
        if (!divides(name))
            return fmt::format("\"{}{}\" has {} rows, which {} heads do not divide", prefix, name, size(name, 0), heads);
    if (experts && size("q.weight", 0) / heads != size("v", 2))
        return fmt::format("\"{0}q.weight\" has {1} rows and \"{0}v\" matrices that are {2} wide, which is {3}", prefix, size("q.weight", 0), size("v", 2),
                           size("v", 2) > 0 && size("q.weight", 0) % size("v", 2) == 0
                               ? fmt::format("{} heads", size("q.weight", 0) / size("v", 2))
                               : std::string("no whole number of heads"));
    if (!experts && size("sel_o", 0) != heads)
        return fmt::format("\"{}sel_o\" has {} rows, one for each head", prefix, size("sel_o", 0));
    return {};
}

std::vector<std::int64_t> fittingHeads(const Checkpoint& checkpoint, const std::string& prefix)
{
    std::vector<std::int64_t> fitting;
    for (std::int64_t heads = 1; heads <= std::min<std::int64_t>(4096, shapeOf(checkpoint, prefix + "q.weight").empty() ? 0 : 4096); ++heads)
        if (whyNotHeads(checkpoint, prefix, heads).empty())
            fitting.push_back(heads);
    return fitting;
}

/// Experts per head from the rows of a router.
std::int64_t expertsOf(const nn::Weights& weights, const Arguments& arguments, const PackageAttention& module, const std::string& name)
{
    const auto all = rows(weights, module.prefix + name);
    if (all == 0 || all % module.heads != 0)
        arguments.contradiction(fmt::format("\"{}{}\" has {} rows, which {} heads (n_heads) do not divide.", module.prefix, name, all, module.heads));
    return all / module.heads;
}

nn::RouterLayer routerLayer(nn::Weights& weights, Arguments& arguments, const PackageAttention& module, Site site)
{
    const std::string name = site == Site::V ? "sel_v" : "sel_o";
    const auto experts = expertsOf(weights, arguments, module, name);
    arguments.confirm(module.expertsKey, experts, fmt::format("\"{}{}\"", module.prefix, name));
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
void readValueAndOutput(nn::Weights& weights, Arguments& arguments, const PackageAttention& module, nn::HeadMixtureAttention& block)
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
    const std::int64_t width = block.width; // values are as wide as keys
    block.value.weight = weights.get(module.prefix + "v", {experts, d, width});
    block.output.weight = weights.get(module.prefix + "o", {h * block.output.router->rule.experts, width, d});
    block.valueWidth = static_cast<int>(width);
}

} // namespace

std::shared_ptr<const nn::AttentionBlock> packageAttention(nn::Weights& weights, Arguments& arguments, const PackageAttention& module)
{
    const auto inner = rows(weights, module.prefix + "q.weight");
    if (module.heads < 1 || inner == 0 || inner % module.heads != 0)
        arguments.contradiction(fmt::format("\"{}q.weight\" has {} rows, which {} heads (n_heads) do not divide.", module.prefix, inner, module.heads));
    auto block = std::make_shared<nn::HeadMixtureAttention>();
    block->address = {Stack::None, module.depth, Block::Self};
    block->heads = static_cast<int>(module.heads);
    block->width = static_cast<int>(inner / module.heads);
    arguments.confirm("d_head", block->width, fmt::format("\"{}q.weight\"", module.prefix), block->width);
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

void readPackageAttention(const nn::Weights& weights, Arguments& arguments, PackageAttention& module)
{
    module.heads = arguments.integerInUse("n_heads");
    if (const auto why = whyNotHeads(weights.checkpoint(), module.prefix, module.heads); !why.empty()) {
        const auto fitting = fittingHeads(weights.checkpoint(), module.prefix);
        arguments.contradiction(fmt::format("{} and cannot be {} heads: {}; {}.", arguments.said("n_heads"), module.heads, why,
                                            fitting.empty() ? std::string("no number of heads fits the tensors")
                                                            : fmt::format("the tensors allow {}", fmt::join(fitting, ", "))));
    }
    if (arguments.is("experts"))
        module.chosen = arguments.integerInUse(module.chosenKey);
    else
        arguments.confirm(module.chosenKey, module.chosen = 1, "the single expert");
    if (!arguments.is("rope"))
        return;
    module.rotateFraction = arguments.numberInUse("rotate_fraction");
    if (arguments.is("rotates"))
        module.rotaryBase = arguments.numberInUse("rope_base");
    else
        arguments.mention("rope_base");
}

MissingParameter missingHeads(const Checkpoint& checkpoint, const Arguments& arguments, const std::string& prefix)
{
    std::vector<std::string> choices;
    for (const auto heads : fittingHeads(checkpoint, prefix))
        choices.push_back(std::to_string(heads));
    if (choices.empty())
        arguments.contradiction(fmt::format("no number of heads fits the tensors of \"{}\".", prefix));
    auto hint = fmt::format("the attention heads: {}", fmt::join(choices, ", "));
    return {"n_heads", std::move(hint), std::move(choices)};
}

MissingParameter missingChosen(const Checkpoint& checkpoint, const Arguments& arguments, const std::string& prefix, std::string_view key)
{
    const auto fitting = fittingHeads(checkpoint, prefix);
    const auto heads = std::max<std::int64_t>(1, arguments.integer("n_heads").value_or(fitting.empty() ? 1 : fitting.front()));
    const auto shape = shapeOf(checkpoint, prefix + "sel_o");
    const auto experts = std::max<std::int64_t>(1, shape.empty() ? 1 : shape[0] / heads);
    return {std::string(key), fmt::format("the attention experts a token chooses in a head, from 1 to {}", experts), {}, 1, experts};
}

} // namespace headscope::core
