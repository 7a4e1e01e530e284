// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moeut_training.h"

#include "core/families/moe_attention/assemble.h"
#include "core/families/moe_attention/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::core {
namespace {

using namespace moe_attention;

/// In which order the modules are applied.
enum class Repeat : std::uint8_t { Whole, Each }; // 0 1 0 1; 0 0 1 1

struct Schedule {
    int modules = 0; // G
    Repeat repeat = Repeat::Whole;
    int layers = 0;  // L, applications

    int moduleAt(int depth) const { return repeat == Repeat::Whole ? depth % modules : depth / (layers / modules); }
};

Schedule schedule(const nn::Weights& weights, Arguments& arguments)
{
    Schedule result;
    result.modules = countModules(weights, arguments);
    if (!arguments.is("universal")) {
        if (const auto layers = arguments.integer("transformer.encoder_n_layers"); layers && *layers != result.modules)
            arguments.contradiction(fmt::format("{}, which applies every layer module once, but {} and the file has {} modules.",
                                                arguments.said("transformer.variant"), arguments.said("transformer.encoder_n_layers"), result.modules));
        arguments.confirm("transformer.encoder_n_layers", result.modules, "the file");
        result.layers = result.modules;
        return result;
    }
    arguments.confirm("transformer.universal.group_size", result.modules, "the file");
    const auto layers = arguments.integerInUse("transformer.encoder_n_layers");
    result.layers = static_cast<int>(std::clamp<std::int64_t>(layers, 0, 5000));
    if (result.layers < 1 || result.layers > 4096 || result.layers % result.modules != 0)
        arguments.contradiction(fmt::format("{} layers (transformer.encoder_n_layers) are not a multiple of the {} layer modules in the file.",
                                            result.layers, result.modules));
    const auto type = arguments.textInUse("transformer.universal.group_type");
    if (type != "abab" && type != "aabb")
        arguments.refuse("transformer.universal.group_type", type, "abab and aabb are");
    result.repeat = type == "abab" ? Repeat::Whole : Repeat::Each;
    return result;
}

/// The variants that are this family's language models; others (SUT) are another architecture.
bool preNorm(Arguments& arguments, const nn::Weights& weights)
{
    const std::string_view key = "transformer.variant";
    const bool outputNorm = weights.has("out_norm.weight");
    arguments.refuseNone(key);
    const auto given = arguments.text(key);
    if (!given)
        return outputNorm;
    const auto& variant = *given;
    const auto known = wordsOf(arguments.table().row(key, arguments.traits())->words);
    if (std::find(known.begin(), known.end(), variant) == known.end())
        arguments.refuse(key, variant, "it is another architecture than the ones Headscope knows of this training code");
    const bool mixture = weights.has(modulePrefix(0) + "pkm.keys");
    if (mixture != (variant.find("moe") != std::string::npos))
        arguments.contradiction(fmt::format("{}, but the feed-forward layers are {}: the hyper-parameters are of another model.", arguments.said(key),
                                            mixture ? "mixtures" : "dense"));
    // A post-LN model has an output norm only where the code was told so.
    if (variant.starts_with("preln") && !outputNorm)
        arguments.contradiction(fmt::format("{}, but the file lacks \"out_norm.weight\": the hyper-parameters are of another model.", arguments.said(key)));
    if (!variant.starts_with("preln")) {
        if (outputNorm && arguments.integer("lm.trafo.force_out_norm").value_or(0) != 1)
            arguments.contradiction(fmt::format("{} and {}, but the file has \"out_norm.weight\": the hyper-parameters are of another model.",
                                                arguments.said(key), arguments.said("lm.trafo.force_out_norm")));
        arguments.confirm("lm.trafo.force_out_norm", outputNorm, "the file");
    }
    arguments.confirm(key, variant, "the file");
    return variant.starts_with("preln");
}

double embeddingScale(Arguments& arguments, const Configuration& configuration)
{
    if (arguments.given("transformer.embedding_scale"))
        return arguments.numberInUse("transformer.embedding_scale");
    return configuration.preNorm ? 1 : std::sqrt(static_cast<double>(configuration.width));
}

Configuration configurationOf(const nn::Weights& weights, Arguments& arguments, const Schedule& modules,
                              const OpenOptions& wanted)
{
    Configuration configuration;
    readShapes(weights, arguments, configuration);
    configuration.layers = modules.layers;
    configuration.preNorm = preNorm(arguments, weights);
    readMemory(arguments, configuration, wanted);
    readActivation(arguments, false, configuration);
    configuration.embeddingScale = embeddingScale(arguments, configuration);
    configuration.evenRotation = true;
    configuration.normQkPossible = false;
    const bool normsOfRouters = weights.has(modulePrefix(0) + "self_attn.norm.weight");
    if (arguments.classOf("moe.nonorm") != KeyClass::Inactive)
        arguments.confirm("moe.nonorm", normsOfRouters, "the file");
    configuration.placement = normsOfRouters            ? nn::NormPlacement::RoutersAndScoresOnly
                              : configuration.preNorm   ? nn::NormPlacement::Pre
                              : configuration.remembers ? nn::NormPlacement::PostWithNormedSource
                                                        : nn::NormPlacement::Post;
    return configuration;
}

/// A LayerNorm without parameters before the first layer.
std::optional<nn::LayerNorm> inputNorm(Arguments& arguments)
{
    return arguments.flagInUse("lm.trafo.norm_input") ? std::optional(nn::LayerNorm{}) : std::nullopt;
}

} // namespace

bool isMoeutTraining(const Checkpoint& checkpoint)
{
    const auto any = [&checkpoint](auto&& predicate) {
        return std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), [&](const TensorView& tensor) { return predicate(tensor.name); });
    };
    const bool trained = any([](const std::string& name) { return name.starts_with("unique_layers.") && name.find(".self_attn.") != std::string::npos; });
    const bool universal = any([](const std::string& name) {
        return name.ends_with(".self_attn.norm.weight") || name.ends_with(".pkm.norm.weight") || name.ends_with(".pkm.iter");
    });
    const auto& args = checkpoint.hyperParameters;
    return trained && (universal || (args.is_object() && (args.contains("transformer.universal.group_size") || args.contains("moe.nonorm"))));
}

std::shared_ptr<const Model> openMoeutTraining(const FamilyInput& input)
{
    Arguments arguments(input.checkpoint, universalTable);
    nn::Weights weights(input.checkpoint, input.compute, input.weightsMode(), input.progress);
    requireHyperParameters(weights, arguments);
    const auto modules = schedule(weights, arguments);
    const auto configuration = configurationOf(weights, arguments, modules, input.options);
    auto parts = readEnds(weights, configuration);
    parts.inputNorm = inputNorm(arguments);
    const bool inner = configuration.placement == nn::NormPlacement::RoutersAndScoresOnly;
    const LayerNormNames norms = inner ? LayerNormNames{"self_attn.norm", "pkm.norm"} : LayerNormNames{};
    for (int depth = 0; depth < modules.layers; ++depth) {
        const auto prefix = modulePrefix(modules.moduleAt(depth));
        const auto group = modules.layers > modules.modules ? std::optional(prefix.substr(0, prefix.size() - 1)) : std::nullopt;
        parts.layers.push_back(readLayer(weights, arguments, configuration, {depth, prefix, group}, norms));
    }
    refuseUnknownTensors(weights, arguments);

    ModelInfo info;
    info.family = moeutTrainingFamily.name;
    info.variant = fmt::format("MoEUT ({} layer modules, {} applications)", modules.modules, modules.layers);
    describe(parts, configuration, info);
    if (inner)
        info.norm = "none on the residual path";
    auto tokenizer = describeTexts(input, weights, arguments, info);
    return std::make_shared<nn::LanguageModel>(std::move(parts), std::move(info), std::move(tokenizer));
}

} // namespace headscope::core
