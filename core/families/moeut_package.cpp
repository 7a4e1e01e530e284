// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moeut_package.h"

#include "core/families/package_attention.h"
#include "core/families/package_keys.h"
#include "core/nn/language_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope::core {
namespace {

std::string modulePrefix(int module) { return fmt::format("transformer.layers.{}.", module); }

int countModules(const nn::Weights& weights)
{
    int modules = 0;
    while (modules < 4096 && weights.has(modulePrefix(modules) + "attention.q.weight"))
        ++modules;
    return modules;
}

MissingParameter aboutMissing(const Checkpoint& checkpoint, const Arguments& arguments, int modules, std::string_view key)
{
    constexpr std::int64_t mostLayers = 4096;
    const auto attention = modulePrefix(0) + "attention.";
    if (key == "n_layers")
        return {"n_layers", fmt::format("a multiple of the {} layer modules", modules), {}, modules, mostLayers, modules};
    if (key == "n_heads")
        return missingHeads(checkpoint, arguments, attention);
    if (key == "att_k")
        return missingChosen(checkpoint, arguments, attention, key);
    const auto shape = shapeOf(checkpoint, modulePrefix(0) + "ffn.expert_sel");
    const auto experts = shape.empty() ? 1 : shape[0];
    return {std::string(key), fmt::format("the feed-forward experts a token chooses, from 1 to {}", experts), {}, 1, experts};
}

nn::LayerNorm norm(nn::Weights& weights, const std::string& name, std::int64_t width)
{
    return {weights.get(name + ".weight", {width}), weights.get(name + ".bias", {width})};
}

std::shared_ptr<const nn::FeedForward> feedForward(nn::Weights& weights, Arguments& arguments, const std::string& prefix, std::int64_t width, int depth,
                                                   const std::optional<std::string>& group)
{
    auto ffn = std::make_shared<nn::ExpertFeedForward>();
    ffn->up = weights.get(prefix + "keys", {-1, width, -1});
    const auto experts = ffn->up.size(0);
    ffn->down = weights.get(prefix + "values", {experts, ffn->up.size(2), width});
    const auto keys = fmt::format("\"{}keys\"", prefix);
    arguments.confirm("ff_n_experts", experts, keys);
    arguments.confirm("ff_expert_size", ffn->up.size(2), keys);
    const auto chosen = arguments.integerInUse("ff_k");
    if (chosen < 1 || chosen > experts)
        arguments.contradiction(fmt::format("ff_k is {}, but \"{}keys\" holds {} experts.", chosen, prefix, experts));
    ffn->router.rule = {1, static_cast<int>(experts), static_cast<int>(chosen), GateKind::Sigmoid};
    ffn->router.matrix = weights.get(prefix + "expert_sel", {experts, width});
    auto& router = ffn->router.router;
    router.address = {Stack::None, depth, Block::Ffn, Site::Mlp, std::nullopt};
    router.experts = ffn->router.rule.experts;
    router.chosen = ffn->router.rule.chosen;
    router.weightsGroup = group;
    return ffn;
}

nn::LanguageModelParts readParts(nn::Weights& weights, Arguments& arguments, int modules)
{
    nn::LanguageModelParts parts;
    parts.compute = weights.compute();
    parts.embedding = weights.get("embedding.weight", {-1, -1});
    const auto width = parts.embedding.size(1);
    const auto layers = arguments.integerInUse("n_layers");
    if (layers < 1 || layers > 4096 || layers % modules != 0)
        arguments.contradiction(fmt::format("n_layers is {}, which is not a multiple of the {} layer modules in the file.", layers, modules));
    PackageAttention module;
    module.width = width;
    module.prefix = modulePrefix(0) + "attention.";
    module.expertsKey = "att_n_experts";
    module.chosenKey = "att_k";
    readPackageAttention(weights, arguments, module);
    arguments.confirm("d_model", width, "\"embedding.weight\"");
    arguments.confirm("n_tokens", parts.embedding.size(0), "\"embedding.weight\"");
    arguments.confirm("group_size", modules, "the file");
    for (int depth = 0; depth < layers; ++depth) {
        const auto prefix = modulePrefix(depth % modules);
        module.depth = depth;
        module.prefix = prefix + "attention.";
        module.weightsGroup = layers > modules ? std::optional(prefix.substr(0, prefix.size() - 1)) : std::nullopt;
        nn::Layer layer;
        layer.placement = nn::NormPlacement::RoutersAndScoresOnly;
        layer.norm1 = norm(weights, prefix + "ln1", width);
        layer.norm2 = norm(weights, prefix + "ln2", width);
        layer.attention = packageAttention(weights, arguments, module);
        layer.feedForward = feedForward(weights, arguments, prefix + "ffn.", width, depth, module.weightsGroup);
        parts.layers.push_back(std::move(layer));
    }
    parts.outputNorm = norm(weights, "out_norm", width);
    parts.output.weight = weights.get("lm_head.weight", {parts.embedding.size(0), width});
    parts.output.bias = weights.get("lm_head.bias", {parts.embedding.size(0)});
    return parts;
}

} // namespace

bool isMoeutPackage(const Checkpoint& checkpoint)
{
    return checkpoint.find("transformer.layers.0.attention.sel_o") && checkpoint.find("transformer.layers.0.ffn.expert_sel");
}

std::shared_ptr<const Model> openMoeutPackage(const FamilyInput& input)
{
    Arguments arguments(input.checkpoint, moeutPackageTable);
    nn::Weights weights(input.checkpoint, input.compute, input.weightsMode(), input.progress);
    const int modules = countModules(weights);
    if (modules == 0)
        arguments.contradiction("layer module 0 has no attention; the checkpoint is incomplete.");
    arguments.requireGiven([&](std::string_view key) { return aboutMissing(input.checkpoint, arguments, modules, key); });
    auto parts = readParts(weights, arguments, modules);
    if (const auto unused = weights.unused(); !unused.empty())
        arguments.contradiction(fmt::format("{} tensors belong to no part of a MoEUT model (\"{}\"…); the numbers would be wrong, so the checkpoint is not "
                                            "opened.", unused.size(), unused.front()));

    ModelInfo info;
    info.family = moeutPackageFamily.name;
    info.variant = fmt::format("MoEUT ({} layer modules, {} applications)", modules, parts.layers.size());
    const auto& first = dynamic_cast<const nn::HeadMixtureAttention&>(*parts.layers.front().attention);
    info.vocabulary = parts.embedding.size(0);
    info.width = parts.embedding.size(1);
    info.heads = first.heads;
    info.headWidth = first.width;
    info.positions = fmt::format("rotary ({} of {} dimensions, base {})", first.positions.rotary.rotated, first.width, first.positions.rotary.base);
    info.norm = "none on the residual path";
    nn::describeLayers(parts.layers, info);
    info.settings = arguments.settings();
    info.notes = arguments.notes();
    auto tokenizer = describeCommon(input, weights, TextPolicy{}, info);
    return std::make_shared<nn::LanguageModel>(std::move(parts), std::move(info), std::move(tokenizer));
}

} // namespace headscope::core
