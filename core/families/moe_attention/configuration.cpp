// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/configuration.h"

#include "core/families/moe_attention/consistency.h"
#include "core/families/moe_attention/heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace headscope::core::moe_attention {

std::string modulePrefix(int module) { return fmt::format("unique_layers.{}.", module); }

int countModules(const nn::Weights& weights, const Arguments& arguments)
{
    constexpr std::string_view prefix = "unique_layers.";
    std::set<int> found;
    for (const auto& tensor : weights.checkpoint().tensors) {
        if (!tensor.name.starts_with(prefix))
            continue;
        int module = -1;
        const char* begin = tensor.name.data() + prefix.size();
        const auto [end, error] = std::from_chars(begin, tensor.name.data() + tensor.name.size(), module);
        if (error == std::errc() && module >= 0 && *end == '.')
            found.insert(module);
    }
    const int count = static_cast<int>(found.size());
    if (count == 0 || *found.rbegin() != count - 1)
        arguments.contradiction(fmt::format("the layers are not numbered 0 to {} without holes; the checkpoint is incomplete.",
                                            found.empty() ? 0 : *found.rbegin()));
    return count;
}

AttentionKind attentionKind(const nn::Weights& weights, const Arguments& arguments)
{
    const auto has = [&](std::string_view name) { return weights.has(modulePrefix(0) + "self_attn." + std::string(name)); };
    if (has("sel_dst"))
        return AttentionKind::Slots;
    if (has("projections.q"))
        return has("pos_to_pk") ? AttentionKind::HeadMixtureRelative : AttentionKind::HeadMixtureRotary;
    if (has("data_to_kv.weight") && has("multi_head_merge.weight"))
        return AttentionKind::DenseRelative;
    if (has("data_to_kv.weight") && has("out_proj.weight"))
        return AttentionKind::DenseRotary;
    if (const auto key = std::string_view("moe.att.variant"); arguments.table().knows(key))
        if (const auto variant = arguments.text(key); variant && *variant != "full" && *variant != "full_rope" && *variant != "moa")
            arguments.refuse(key, *variant, "full, full_rope and moa are");
    arguments.contradiction("layer 0 has no attention tensors that Headscope knows (self_attn.projections, sel_dst or data_to_kv).");
}

namespace {

nn::Activation activation(Arguments& arguments, bool gelu)
{
    if (gelu)
        return nn::Activation::Gelu;
    const auto name = arguments.textInUse("transformer.activation");
    if (name == "gelu")
        return nn::Activation::Gelu;
    if (name == "relu")
        return nn::Activation::Relu;
    if (name == "identity")
        return nn::Activation::Identity;
    if (name == "sigmoid")
        return nn::Activation::Sigmoid;
    if (name == "softmax")
        return nn::Activation::Softmax;
    if (name == "topk")
        return nn::Activation::WithoutLargest; // what that option of the training code does: it blanks the largest
    arguments.refuse("transformer.activation", name, "relu, gelu, identity, sigmoid, softmax and topk are");
}

} // namespace

void readActivation(Arguments& arguments, bool gelu, Configuration& configuration)
{
    configuration.activation = activation(arguments, gelu);
    if (configuration.activation != nn::Activation::WithoutLargest)
        return;
    configuration.largest = arguments.integerInUse("transformer.topk_value");
    arguments.note(fmt::format("transformer.activation is topk, which sets the {} largest pre-activations to 0.", configuration.largest));
}

namespace {

constexpr std::int64_t longestSegment = std::int64_t{1} << 30; // tokens
constexpr std::int64_t mostBlocks = std::int64_t{1} << 20;

/// Segment and memory of the training code's own evaluation: `test_context_blocks or context_blocks`, `unroll_eval` where it
/// is a number.
Visibility evaluated(Arguments& arguments)
{
    Visibility seen;
    seen.segment = arguments.integer("lm.unroll", 100);
    seen.segmentsBack = arguments.integer("lm.trafo.context_blocks", 1);
    if (arguments.integer("lm.unroll_eval"))
        seen.segment = arguments.integer("lm.unroll_eval", 0);
    if (arguments.integer("lm.trafo.test_context_blocks").value_or(0) != 0)
        seen.segmentsBack = arguments.integer("lm.trafo.test_context_blocks", 0);
    if (seen.segment < 1 || seen.segment > longestSegment || seen.segmentsBack < 0 || seen.segmentsBack > mostBlocks)
        arguments.contradiction(
            fmt::format("segments of {} tokens with {} memory blocks in evaluation (lm.unroll_eval or lm.unroll, "
                        "lm.trafo.test_context_blocks or context_blocks) are not possible.",
                        seen.segment, seen.segmentsBack));
    return seen;
}

/// What is wanted in place of the run's own values, said in a note.
void takeWanted(Arguments& arguments, const OpenOptions& wanted, Visibility& seen)
{
    const auto own = seen;
    seen.segmentsBack = wanted.memoryBlocks.value_or(own.segmentsBack);
    seen.segment = wanted.segment.value_or(own.segment);
    if (seen.segment < 1 || seen.segment > longestSegment || seen.segmentsBack < 0 || seen.segmentsBack > mostBlocks)
        arguments.contradiction(fmt::format(
            "segments of {} tokens with {} memory blocks are not possible: give 1 to {} tokens and 0 to {} blocks.",
            seen.segment, seen.segmentsBack, longestSegment, mostBlocks));
    if (seen != own)
        arguments.note(fmt::format(
            "Run with {} memory block{} and segments of {} tokens, as chosen; the run's own evaluation has {} and {}.",
            seen.segmentsBack, seen.segmentsBack == 1 ? "" : "s", seen.segment, own.segmentsBack, own.segment));
}

} // namespace

void readMemory(Arguments& arguments, Configuration& configuration, const OpenOptions& wanted)
{
    if (const auto clamp = arguments.number("lm.trafo.test_pos_clamp"))
        arguments.refuse("lm.trafo.test_pos_clamp", fmt::format("{}", *clamp),
                         "it bounds the distances of positions in evaluation, in a way that no checkpoint has shown yet");
    auto& seen = configuration.visibility;
    seen = evaluated(arguments);
    configuration.remembers = seen.segmentsBack > 0 || wanted.memoryBlocks.value_or(0) > 0;
    takeWanted(arguments, wanted, seen);
    if (seen.segmentsBack == 0)
        return;
    // Where training saw whole blocks, evaluation may still restrict them: a model is run here as in its evaluation.
    const bool training = arguments.flag("lm.trafo.same_length", false);
    seen.sameLength = arguments.flag("lm.trafo.same_length_eval", false) || training;
    configuration.lastLayerMemory = arguments.flag("lm.trafo.last_layer_context", false);
    if (configuration.lastLayerMemory)
        arguments.note("Memory is the last layer's output of earlier segments (lm.trafo.last_layer_context): in the maps a "
                       "remembered token has the "
                       "keys made from it; its recorded choices are those of when it was current.");
}

int headCount(const nn::Weights& weights, Arguments& arguments, std::int64_t width)
{
    const auto& checkpoint = weights.checkpoint();
    const std::string_view key = "transformer.n_heads";
    const auto refuseWrong = [&](std::int64_t heads) {
        const auto why = whyNotHeads(checkpoint, arguments, width, heads);
        if (why.empty())
            return;
        const auto fitting = fittingHeads(checkpoint, arguments, width);
        if (fitting.empty())
            arguments.contradiction(fmt::format("{}; {}: no number of heads fits the tensors and the other hyper-parameters.", arguments.said(key), why));
        arguments.contradiction(fmt::format("{}, but {}; the tensors and the other hyper-parameters allow {}.", arguments.said(key), why,
                                            fmt::join(fitting, ", ")));
    };
    if (const auto given = arguments.integer(key))
        refuseWrong(*given);
    const auto bias = modulePrefix(0) + "self_attn.global_content_bias";
    if (weights.has(bias) && !weights.shape(bias).empty()) {
        refuseWrong(weights.shape(bias)[0]);
        arguments.confirm(key, weights.shape(bias)[0], fmt::format("\"{}\"", bias));
        return static_cast<int>(weights.shape(bias)[0]);
    }
    return static_cast<int>(arguments.integerInUse(key));
}

void requireHyperParameters(const nn::Weights& weights, const Arguments& arguments)
{
    arguments.requireGiven([&](std::string_view key) { return aboutMissing(weights.checkpoint(), arguments, key); });
}

void readShapes(const nn::Weights& weights, Arguments& arguments, Configuration& configuration)
{
    const auto& embedding = weights.shape("embedding.weight");
    if (embedding.size() != 2 || embedding[0] < 1 || embedding[1] < 1)
        arguments.contradiction("\"embedding.weight\" is not a matrix.");
    configuration.vocabulary = embedding[0];
    configuration.embeddingWidth = embedding[1];
    configuration.width = embedding[1];
    if (weights.has("embedding_adapter.weight") && weights.shape("embedding_adapter.weight").size() == 2)
        configuration.width = weights.shape("embedding_adapter.weight")[0];
    arguments.confirm("state_size", configuration.width, "\"embedding.weight\"");
    confirmEnds(weights, arguments);
    configuration.attention = attentionKind(weights, arguments);
    configuration.expertFeedForward = weights.has(modulePrefix(0) + "pkm.keys");
    configuration.heads = headCount(weights, arguments, configuration.width);
    if (arguments.classOf("moe.att.enable") != KeyClass::Inactive)
        arguments.confirm("moe.att.enable", arguments.is("dense") ? 0 : 1, "the attention of layer 0");
    if (!arguments.table().knows("transformer.ln_affine"))
        return;
    configuration.affineNorms = arguments.flagInUse("transformer.ln_affine");
    if (!configuration.affineNorms && weights.has(modulePrefix(0) + "norm1.weight"))
        arguments.note("transformer.ln_affine is 0, but the layer norms have weights: the tensors are followed.");
}

namespace {

std::string_view attentionName(AttentionKind kind)
{
    switch (kind) {
    case AttentionKind::HeadMixtureRelative:
    case AttentionKind::HeadMixtureRotary: return "SwitchHead";
    case AttentionKind::Slots: return "MoA";
    case AttentionKind::DenseRelative: return "dense Transformer-XL";
    case AttentionKind::DenseRotary: break;
    }
    return "dense rotary";
}

/// The variants of the training code that build such tensors.
std::vector<std::string_view> fittingVariants(const Configuration& configuration)
{
    switch (configuration.attention) {
    case AttentionKind::DenseRotary: return {"preln_rope", "rope"};
    case AttentionKind::DenseRelative:
        if (!configuration.expertFeedForward)
            return {"preln_relative"};
        [[fallthrough]];
    case AttentionKind::HeadMixtureRelative:
    case AttentionKind::HeadMixtureRotary:
    case AttentionKind::Slots: break;
    }
    if (configuration.expertFeedForward)
        return {"preln_moe", "moe"};
    return {"preln_moeatt"};
}

/// The variant must be one of the public training code, and one that has these tensors.
std::string layerVariant(Arguments& arguments, const Configuration& configuration, bool& gelu)
{
    const std::string_view key = "transformer.variant";
    arguments.refuseNone(key);
    auto variant = arguments.text(key).value_or("");
    gelu = variant.ends_with("_gelu");
    if (gelu)
        variant.resize(variant.size() - std::string_view("_gelu").size());
    if (variant.empty())
        return variant;
    const auto known = wordsOf(arguments.table().row(key, arguments.traits())->words);
    if (std::find(known.begin(), known.end(), variant) == known.end())
        arguments.refuse(key, variant, "it is not among the variants of the public training code");
    const auto fitting = fittingVariants(configuration);
    const auto fits = std::find(fitting.begin(), fitting.end(), variant) != fitting.end() && variant.starts_with("preln") == configuration.preNorm;
    if (!fits)
        arguments.contradiction(fmt::format("{}, but layer 0 has {} attention and {} feed-forward layer, and the file {} out_norm: the hyper-parameters "
                                            "are of another model.", arguments.said(key), attentionName(configuration.attention),
                                            configuration.expertFeedForward ? "a mixture" : "a dense", configuration.preNorm ? "has" : "lacks"));
    arguments.confirm(key, *arguments.text(key), "the file");
    return variant;
}

void refuseAdaptiveSoftmax(const nn::Weights& weights, const Arguments& arguments)
{
    for (const auto& tensor : weights.checkpoint().tensors)
        if (tensor.name.starts_with("output.") && tensor.name != "output.weight" && tensor.name != "output.bias")
            arguments.contradiction(fmt::format("the output is an adaptive softmax (\"{}\"), which Headscope does not support: only one output matrix "
                                                "for the whole vocabulary is.", tensor.name));
}

double embeddingScale(Arguments& arguments, const Configuration& configuration)
{
    if (configuration.preNorm)
        return 1;
    const auto scaled = std::sqrt(static_cast<double>(configuration.width));
    if (arguments.is("xl-init")) {
        arguments.mention("lm.trafo.xl_init");
        return scaled;
    }
    const auto mode = arguments.textInUse("lm.trafo.embedding_mode_init");
    if (mode == "scale_to_sqrt_dmodel")
        arguments.refuse("lm.trafo.embedding_mode_init", mode, "its factor was measured when training began and is not in the file");
    if (mode == "init_to_sqrt_dmodel")
        return arguments.flagInUse("lm.trafo.xl_init") ? scaled : 1;
    arguments.mention("lm.trafo.xl_init");
    if (mode != "default" && mode != "like_preln" && mode != "one_and_scale_to_sqrt_dmodel")
        arguments.refuse("lm.trafo.embedding_mode_init", mode, "it is not among the modes of the public training code");
    return scaled;
}

} // namespace

Configuration readConfiguration(const nn::Weights& weights, Arguments& arguments, const OpenOptions& wanted)
{
    requireHyperParameters(weights, arguments);
    refuseAdaptiveSoftmax(weights, arguments);
    Configuration configuration;
    readShapes(weights, arguments, configuration);
    configuration.layers = countModules(weights, arguments);
    arguments.confirm("transformer.encoder_n_layers", configuration.layers, "the file");
    configuration.preNorm = weights.has("out_norm.weight");
    readMemory(arguments, configuration, wanted);
    bool gelu = false;
    configuration.layerVariant = layerVariant(arguments, configuration, gelu);
    if (const std::string_view key = "moe.att.variant"; arguments.classOf(key) != KeyClass::Inactive)
        arguments.confirm(key, configuration.attention == AttentionKind::Slots ? "moa" : arguments.is("rotary") ? "full_rope" : "full",
                          "the attention of layer 0");
    readActivation(arguments, gelu, configuration);
    configuration.embeddingScale = embeddingScale(arguments, configuration);
    configuration.normQkPossible = !configuration.expertFeedForward;
    configuration.placement = configuration.preNorm     ? nn::NormPlacement::Pre
                              : configuration.remembers ? nn::NormPlacement::PostWithNormedSource
                                                        : nn::NormPlacement::Post;
    return configuration;
}

} // namespace headscope::core::moe_attention
