// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/switchhead_package.h"

#include "core/families/package_attention.h"
#include "core/families/package_keys.h"
#include "core/nn/language_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope::core {
namespace {

MissingParameter aboutMissing(const Checkpoint& checkpoint, const Arguments& arguments, const PackageNames& names, std::string_view key)
{
    const auto prefix = names.attentionPrefix(0);
    if (key == "n_heads")
        return missingHeads(checkpoint, arguments, prefix);
    if (key == "moe_k")
        return missingChosen(checkpoint, arguments, prefix, key);
    const std::string only = arguments.is("rope") ? "rope" : "xl";
    return {std::string(key), fmt::format("\"{}\"", only), {only}};
}

void checkConventions(Arguments& arguments, const nn::Weights& weights, const PackageNames& keys)
{
    if (const auto block = arguments.textInUse("block"); block != "prenorm_residual")
        arguments.refuse("block", block, "prenorm_residual is (x + attention(norm(x)))");
    const auto positions = arguments.textInUse("position_encoding");
    if (positions != "rope" && positions != "xl")
        arguments.refuse("position_encoding", positions, "rope and xl are");
    if ((positions == "xl") != weights.has(keys.attentionPrefix(0) + "pos_to_pk"))
        arguments.contradiction(fmt::format("position_encoding is \"{}\", but layer 0 has {} pos_to_pk tensor.", positions,
                                            positions == "xl" ? "no" : "a"));
}

int countLayers(const nn::Weights& weights, const PackageNames& keys)
{
    int layers = 0;
    while (layers < 4096 && weights.has(keys.attentionPrefix(layers) + "q.weight"))
        ++layers;
    return layers;
}

nn::LayerNorm norm(nn::Weights& weights, const std::string& name, std::int64_t width, double epsilon)
{
    return {weights.get(name + ".weight", {width}), weights.get(name + ".bias", {width}), epsilon};
}

nn::LanguageModelParts readParts(nn::Weights& weights, Arguments& arguments, const PackageNames& keys)
{
    nn::LanguageModelParts parts;
    parts.compute = weights.compute();
    parts.embedding = weights.get(keys.embedding, {-1, -1});
    parts.embeddingScale = arguments.numberInUse("embedding_scale");
    const auto width = parts.embedding.size(1);
    const auto epsilon = arguments.numberInUse("layer_norm_eps");
    if (epsilon < 0)
        arguments.contradiction(fmt::format("{}, but it cannot be negative.", arguments.said("layer_norm_eps")));
    PackageAttention module;
    module.width = width;
    module.prefix = keys.attentionPrefix(0);
    module.expertsKey = "n_experts";
    module.chosenKey = "moe_k";
    readPackageAttention(weights, arguments, module);
    arguments.confirm("d_model", width, fmt::format("\"{}\"", keys.embedding));
    arguments.confirm("n_layers", countLayers(weights, keys), "the file");
    for (int index = 0; index < countLayers(weights, keys); ++index) {
        module.depth = index;
        module.prefix = keys.attentionPrefix(index);
        nn::Layer layer;
        layer.norm1 = norm(weights, keys.layer(index) + keys.norm, width, epsilon);
        layer.attention = packageAttention(weights, arguments, module);
        parts.layers.push_back(std::move(layer));
    }
    if (weights.has(keys.outNorm + ".weight"))
        parts.outputNorm = norm(weights, keys.outNorm, width, epsilon);
    parts.output.weight = weights.get(keys.head + ".weight", {parts.embedding.size(0), width});
    if (weights.has(keys.head + ".bias"))
        parts.output.bias = weights.get(keys.head + ".bias", {parts.embedding.size(0)});
    return parts;
}

void refuseUnknownTensors(const nn::Weights& weights, const Arguments& arguments)
{
    if (const auto unused = weights.unused(); !unused.empty())
        arguments.contradiction(fmt::format("{} tensors belong to no part of the model as headscope.json describes it (\"{}\"…); the numbers would be "
                                            "wrong, so the checkpoint is not opened.", unused.size(), unused.front()));
}

} // namespace

bool isSwitchheadPackage(const Checkpoint& checkpoint)
{
    // The siblings of one attention module, and nothing of the language models that embed it.
    const auto found = std::find_if(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                                    [](const TensorView& tensor) { return tensor.name == "sel_o" || tensor.name.ends_with(".sel_o"); });
    if (found == checkpoint.tensors.end() || found->name.starts_with("transformer.layers."))
        return false;
    const auto prefix = found->name.substr(0, found->name.size() - std::string_view("sel_o").size());
    return checkpoint.find(prefix + "q.weight") && checkpoint.find(prefix + "k.weight") && checkpoint.find(prefix + "v") && checkpoint.find(prefix + "o");
}

std::shared_ptr<const Model> openSwitchheadPackage(const FamilyInput& input)
{
    Arguments arguments(input.checkpoint, switchheadPackageTable);
    const auto keys = packageNames(input.checkpoint);
    nn::Weights weights(input.checkpoint, input.compute, input.weightsMode(), input.progress);
    if (countLayers(weights, keys) == 0 || !weights.has(keys.embedding) || !weights.has(keys.head + ".weight"))
        arguments.contradiction(fmt::format("SwitchHead modules were found, but not the model around them: expected \"{}\", \"{}q.weight\" and \"{}.weight\"; "
                                            "name the tensors under \"keys\" in a headscope.json beside the checkpoint.", keys.embedding,
                                            keys.attentionPrefix(0), keys.head));
    arguments.requireGiven([&](std::string_view key) { return aboutMissing(input.checkpoint, arguments, keys, key); });
    checkConventions(arguments, weights, keys);
    auto parts = readParts(weights, arguments, keys);
    refuseUnknownTensors(weights, arguments);

    ModelInfo info;
    info.family = switchheadPackageFamily.name;
    const auto& first = dynamic_cast<const nn::HeadMixtureAttention&>(*parts.layers.front().attention);
    info.variant = first.value.router ? "SwitchHead package" : "SwitchHead package, single expert with output gate";
    info.vocabulary = parts.embedding.size(0);
    info.width = parts.embedding.size(1);
    info.heads = first.heads;
    info.headWidth = first.width;
    info.positions = first.positions.relative.defined()
                         ? "Transformer-XL relative"
                         : fmt::format("rotary ({} of {} dimensions, base {})", first.positions.rotary.rotated, first.width, first.positions.rotary.base);
    info.norm = "pre-LN";
    nn::describeLayers(parts.layers, info);
    info.settings = arguments.settings();
    info.notes = arguments.notes();
    auto tokenizer = describeCommon(input, weights, TextPolicy{}, info);
    return std::make_shared<nn::LanguageModel>(std::move(parts), std::move(info), std::move(tokenizer));
}

} // namespace headscope::core
