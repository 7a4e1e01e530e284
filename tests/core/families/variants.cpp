// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/families/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace headscope::tests {
namespace {

using Attention = Variant::Attention;
using Shape = std::vector<std::int64_t>;

std::string layerPrefix(std::int64_t layer) { return fmt::format("unique_layers.{}.", layer); }

/// Multiples of 1/512 below 4 in size, which half precision holds exactly.
class Values
{
public:
    explicit Values(std::uint32_t seed) : m_random(seed) {}
    double next(double mean, double deviation)
    {
        const auto uniform = (static_cast<double>(m_random()) / 4294967296.0 - 0.5) * 3.4641016;
        return std::round((mean + deviation * uniform) * 512) / 512;
    }

private:
    std::mt19937 m_random;
};

class Builder
{
public:
    explicit Builder(const Variant& variant) : m_variant(variant), m_values(static_cast<std::uint32_t>(variant.index) + 1) {}

    test::TorchCheckpoint build()
    {
        ends();
        for (std::int64_t layer = 0; layer < m_variant.layers; ++layer) {
            const auto prefix = layerPrefix(layer);
            norm(prefix + "norm1", m_variant.width);
            norm(prefix + "norm2", m_variant.width);
            attention(prefix + "self_attn.");
            feedForward(prefix);
        }
        m_file.args = arguments();
        return std::move(m_file);
    }

private:
    void add(const std::string& name, Shape shape, double deviation, double mean = 0)
    {
        std::int64_t count = 1;
        for (const auto size : shape)
            count *= size;
        std::vector<double> values(static_cast<std::size_t>(count));
        std::generate(values.begin(), values.end(), [&] { return m_values.next(mean, deviation); });
        m_file.tensors.push_back({.name = name, .shape = std::move(shape), .values = std::move(values)});
    }
    void norm(const std::string& name, std::int64_t width)
    {
        add(name + ".weight", {width}, 0.1, 1);
        add(name + ".bias", {width}, 0.1);
    }
    void ends();
    void attention(const std::string& prefix);
    void switchHead(const std::string& prefix);
    void feedForward(const std::string& prefix);
    test::TorchArgs arguments() const;
    test::TorchArgs attentionArguments() const;

    Variant m_variant;
    Values m_values;
    test::TorchCheckpoint m_file;
};

void Builder::ends()
{
    const auto& v = m_variant;
    const auto e = v.embeddingWidth > 0 ? v.embeddingWidth : v.width;
    add("embedding.weight", {v.vocabulary, e}, 0.7);
    if (v.embeddingWidth > 0) {
        add("embedding_adapter.weight", {v.width, e}, 0.4);
        add("embedding_adapter.bias", {v.width}, 0.1);
        if (v.tied) {
            add("output_adapter.weight", {e, v.width}, 0.3);
            add("output_adapter.bias", {e}, 0.1);
        }
    }
    if (v.preNorm)
        norm("out_norm", v.width);
    if (v.tied)
        m_file.tensors.push_back({.name = "output.weight", .shape = {v.vocabulary, e}, .storageOf = "embedding.weight"});
    else
        add("output.weight", {v.vocabulary, v.width}, 0.3);
    add("output.bias", {v.vocabulary}, 0.2);
}

void Builder::switchHead(const std::string& prefix)
{
    const auto& v = m_variant;
    for (const char letter : {'q', 'k', 'v', 'o'}) {
        const auto width = letter == 'v' || letter == 'o' ? v.valueWidth : v.headWidth;
        const auto name = prefix + "projections." + letter;
        const auto matrices = v.sharedExperts ? v.expertsOf(letter) : v.heads * v.expertsOf(letter);
        if (v.mixture(letter))
            add(name, letter == 'o' ? Shape{matrices, width, v.width} : Shape{matrices, v.width, width}, 0.3);
        else
            add(name, letter == 'o' ? Shape{v.width, v.heads * width} : Shape{v.heads * width, v.width}, 0.3);
        if (v.ownRouter(letter))
            add(prefix + "selections." + letter, {v.heads * v.expertsOf(letter), v.width}, 0.4);
    }
    if (v.attention == Attention::Relative)
        add(prefix + "pos_to_pk", {v.heads * v.headWidth, v.width}, 0.3);
    if (v.normReturned)
        norm(prefix + "norm_ret", v.valueWidth);
}

void Builder::attention(const std::string& prefix)
{
    const auto& v = m_variant;
    const auto d = v.width;
    const auto all = v.heads * v.headWidth;
    switch (v.attention) {
    case Attention::Relative:
    case Attention::Rotary: switchHead(prefix); return;
    case Attention::Slots:
        add(prefix + "data_to_q", {v.experts, d, v.headWidth}, 0.3);
        add(prefix + "data_to_kv", {d, 2 * v.headWidth}, 0.3);
        add(prefix + "out_proj", {v.experts, v.headWidth, d}, 0.3);
        add(prefix + "pos_to_pk", {v.headWidth, d}, 0.3);
        add(prefix + "sel_dst", {v.experts, d}, 0.4);
        add(prefix + "scale", {1}, 0, 0.375);
        return;
    case Attention::DenseRelative:
        add(prefix + "data_to_q.weight", {all, d}, 0.3);
        add(prefix + "data_to_kv.weight", {2 * all, d}, 0.3);
        add(prefix + "pos_to_pq.weight", {all, d}, 0.3);
        add(prefix + "global_content_bias", {v.heads, v.headWidth}, 0.2);
        add(prefix + "global_pos_bias", {v.heads, v.headWidth}, 0.2);
        add(prefix + "multi_head_merge.weight", {d, all}, 0.3);
        add(prefix + "scale", {1}, 0, 0.375);
        add(prefix + "s_bias", {1}, 0.1);
        return;
    case Attention::DenseRotary:
        add(prefix + "data_to_q.weight", {all, d}, 0.3);
        add(prefix + "data_to_kv.weight", {2 * all, d}, 0.3);
        add(prefix + "out_proj.weight", {d, all}, 0.3);
        return;
    }
}

void Builder::feedForward(const std::string& prefix)
{
    const auto& v = m_variant;
    if (v.mixtureFeedForward) {
        add(prefix + "pkm.keys", {v.feedForwardExperts, v.width, v.feedForwardSize}, 0.3);
        add(prefix + "pkm.values", {v.feedForwardExperts, v.feedForwardSize, v.width}, 0.3);
        add(prefix + "pkm.expert_sel", {v.feedForwardExperts, v.width}, 0.4);
        add(prefix + "pkm.kv_sel_counts_100", {v.feedForwardExperts, v.feedForwardSize}, 0, 1);
        return;
    }
    add(prefix + "linear1.weight", {v.inner, v.width}, 0.3);
    add(prefix + "linear1.bias", {v.inner}, 0.1);
    add(prefix + "linear2.weight", {v.width, v.inner}, 0.3);
    add(prefix + "linear2.bias", {v.width}, 0.1);
}

std::string trainingVariant(const Variant& v)
{
    if (v.mixtureFeedForward)
        return v.preNorm ? "preln_moe" : "moe";
    if (v.attention == Attention::DenseRelative)
        return "preln_relative";
    if (v.attention == Attention::DenseRotary)
        return v.preNorm ? "preln_rope" : "rope";
    return "preln_moeatt";
}

test::TorchArg orNone(std::int64_t number)
{
    return number > 0 ? std::to_string(number) : std::string("none");
}

test::TorchArgs Builder::attentionArguments() const
{
    const auto& v = m_variant;
    const bool mixtures = v.switchHead() || v.attention == Attention::Slots;
    test::TorchArgs args{
        {"moe.att.enable", std::int64_t{mixtures}},
        {"moe.att.variant", std::string(v.attention == Attention::Relative ? "full" : v.attention == Attention::Rotary ? "full_rope" : "moa")},
        {"moe.att.n_experts", v.experts},
        {"moe.att.k", v.chosen},
        {"moe.att.qside_n_experts", orNone(v.queryExperts)},
        {"moe.att.kq_n_experts", orNone(v.keyQueryExperts)},
        {"moe.att.selection_mode", std::string(v.softmax ? "softmax" : "sigmoid")},
        {"moe.att.norm_qk", std::int64_t{v.normQk}},
        {"moe.att.same_sel", std::int64_t{v.sameSelection}},
        {"moe.att.separate_kq_sel", std::int64_t{v.separateRouters}},
        {"moe.att.shared_experts", std::int64_t{v.sharedExperts}},
        {"moe.att.norm_ret", std::int64_t{v.normReturned}},
        {"moe.att.v_size", orNone(v.valueWidth != v.headWidth ? v.valueWidth : 0)},
        {"moa.mode", std::string(v.moaMode ? "moa" : "my")},
    };
    for (const char letter : {'q', 'k', 'v', 'o'})
        args.emplace_back(fmt::format("moe.att.{}_expert", letter), std::int64_t{v.mixture(letter)});
    return args;
}

test::TorchArgs Builder::arguments() const
{
    const auto& v = m_variant;
    auto args = attentionArguments();
    const test::TorchArgs others{
        {"task", std::string("c4_transformer")},
        {"state_size", v.width},
        {"transformer.variant", trainingVariant(v)},
        {"transformer.encoder_n_layers", v.layers},
        {"transformer.n_heads", v.attention == Attention::Slots ? v.chosen : v.heads},
        {"transformer.head_projection_size", std::to_string(v.headWidth)},
        {"transformer.activation", v.activation},
        {"transformer.topk_value", std::int64_t{2}},
        {"moe.n_experts", v.feedForwardExperts},
        {"pkm.n_heads", v.feedForwardChosen},
        {"moe.selection_mode", v.selectionMode},
        {"moe.sel_norm", v.selectionNorm},
        {"moe.activation_after_topk", std::int64_t{v.activationAfterTopK}},
        {"tied_embedding", std::int64_t{v.tied}},
        {"embedding_size", v.embeddingWidth > 0 ? std::to_string(v.embeddingWidth) : std::string("none")},
        {"lm.unroll", v.unroll},
        {"lm.trafo.context_blocks", v.blocks},
        {"lm.unroll_eval", orNone(v.evaluationUnroll)},
        {"lm.trafo.test_context_blocks", orNone(v.evaluationBlocks)},
        {"lm.trafo.test_pos_clamp", std::string("none")},
        {"lm.trafo.same_length", std::int64_t{v.sameLengthOfTraining}},
        {"lm.trafo.same_length_eval", std::int64_t{v.sameLength}},
        {"lm.trafo.last_layer_context", std::int64_t{v.lastLayer}},
    };
    args.insert(args.end(), others.begin(), others.end());
    if (v.stringArguments)
        for (auto& [name, value] : args)
            if (const auto* number = std::get_if<std::int64_t>(&value))
                value = *number == 1 ? test::TorchArg(true) : test::TorchArg(std::to_string(*number));
    return args;
}

/// The variant's attention and feed-forward by its place in the list, so that all kinds occur.
Variant kindOf(int index)
{
    // All combinations of mixtures that differ in their sharing of routers; "vo" is that of the papers.
    static const std::vector<std::string> mixtures{"vo", "qkvo", "v", "o", "q", "k", "qk", "qo", "kv", "qkv", "qvo", "kvo", "qko"};
    Variant v;
    v.index = index;
    if (index < 13) {
        v.attention = index % 2 ? Attention::Rotary : Attention::Relative;
        v.mixtures = mixtures[static_cast<std::size_t>(index)];
        v.mixtureFeedForward = index % 3 == 1;
        v.preNorm = index != 4 && index != 7;
        return v;
    }
    static const std::array<Attention, 7> others{Attention::Slots,         Attention::Slots,       Attention::Slots,     Attention::DenseRelative,
                                                 Attention::DenseRelative, Attention::DenseRotary, Attention::DenseRotary};
    v.attention = others.at(static_cast<std::size_t>(index) - 13);
    v.moaMode = index == 13;
    v.softmax = index == 14;
    v.mixtureFeedForward = index == 15 || index == 17;
    v.preNorm = !v.mixtureFeedForward && index != 18;
    return v;
}

Variant variant(int index)
{
    auto v = kindOf(index);
    std::mt19937 random(static_cast<std::uint32_t>(index) + 77);
    const auto pick = [&random](const auto& list) { return list[random() % list.size()]; };
    const auto chance = [&random](unsigned one) { return random() % one == 0; };
    v.layers = 2 + index % 2;
    v.width = pick(std::vector<std::int64_t>{12, 16, 18});
    v.vocabulary = 30 + static_cast<std::int64_t>(random() % 20);
    v.heads = 1 + index % 3;
    v.valueWidth = v.switchHead() && chance(3) ? 6 : v.headWidth;
    v.experts = 3 + static_cast<std::int64_t>(random() % 3);
    v.chosen = 1 + static_cast<std::int64_t>(random()) % 3;
    v.sharedExperts = v.switchHead() && chance(4);
    v.softmax = v.softmax || (v.switchHead() && index % 4 == 3);
    v.sameSelection = v.switchHead() && index % 5 == 1 && !(v.attention == Attention::Rotary && v.mixtureFeedForward);
    v.separateRouters = v.switchHead() && index % 4 == 2;
    if (v.switchHead() && !v.sameSelection && !v.sharedExperts && chance(3))
        v.queryExperts = v.experts + 1;
    if (v.switchHead() && !v.sameSelection && !v.sharedExperts && chance(4))
        v.keyQueryExperts = v.experts - 1 >= v.chosen ? v.experts - 1 : 0;
    v.normQk = v.switchHead() && !v.mixtureFeedForward && index % 6 == 5;
    v.normReturned = v.switchHead() && v.mixtureFeedForward && chance(2);
    v.selectionMode = std::vector<std::string>{"sigmoid", "gate", "mul"}[static_cast<std::size_t>(index / 3) % 3];
    v.activationAfterTopK = chance(2);
    v.selectionNorm = pick(std::vector<std::string>{"none", "none", "cos", "weights", "input"});
    v.activation = std::vector<std::string>{"relu", "gelu", "relu", "sigmoid", "identity", "softmax", "topk"}[static_cast<std::size_t>(index) % 7];
    v.feedForwardChosen = 1 + static_cast<std::int64_t>(random() % 3);
    v.tied = index % 3 == 0;
    v.embeddingWidth = index % 4 == 1 ? 10 : 0;
    v.unroll = pick(std::vector<std::int64_t>{8, 12, 64});
    v.blocks = static_cast<std::int64_t>(random() % 3);
    v.sameLength = v.blocks > 0 && chance(2);
    v.lastLayer = v.blocks > 0 && index % 3 == 2;
    v.evaluationUnroll = index % 5 == 4 ? 10 : 0;
    v.evaluationBlocks = index % 4 == 3 ? 2 : 0;
    v.legacy = index % 4 == 2;
    v.half = index % 5 == 3;
    v.optimizer = index % 3 == 1;
    v.stringArguments = index % 5 == 2;
    v.prefix = std::vector<std::string>{"", "module.", "_orig_mod.", "module._orig_mod."}[static_cast<std::size_t>(index) % 4];
    v.oldNames = v.switchHead() && index % 3 == 0 && !(v.ownRouter('q') && v.ownRouter('o')) && !(v.ownRouter('k') && v.ownRouter('v'));
    return v;
}

void permute(test::TorchTensor& tensor, std::int64_t experts)
{
    const auto rows = tensor.shape.front();
    const auto size = tensor.values.size() / static_cast<std::size_t>(rows);
    const auto before = tensor.values;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto from = row / experts * experts + (row % experts * 2 + 1) % experts; // a permutation for odd numbers
        const auto turned = row / experts * experts + (row % experts + 1) % experts;   // and one for all
        const auto source = static_cast<std::size_t>(experts % 2 ? from : turned);
        std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(source * size), size,
                    tensor.values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * size));
    }
}

} // namespace

std::int64_t Variant::expertsOf(char letter) const
{
    if ((letter == 'q' || letter == 'k') && keyQueryExperts > 0)
        return keyQueryExperts;
    return (letter == 'q' || letter == 'o') && queryExperts > 0 ? queryExperts : experts;
}

bool Variant::ownRouter(char letter) const
{
    if (!mixture(letter))
        return false;
    switch (letter) {
    case 'q': return separateRouters || !mixture('o') || expertsOf('q') != expertsOf('o');
    case 'k': {
        const bool separate = separateRouters || !mixture('v') || expertsOf('k') != expertsOf('v');
        return separate && !(sameSelection && mixture('q'));
    }
    case 'v': return !(sameSelection && mixture('o'));
    default: return true;
    }
}

std::string Variant::name() const
{
    static const std::map<Attention, std::string> names{{Attention::Relative, "switchhead_xl_"},
                                                        {Attention::Rotary, "switchhead_rope_"},
                                                        {Attention::Slots, "moa"},
                                                        {Attention::DenseRelative, "dense_xl"},
                                                        {Attention::DenseRotary, "dense_rope"}};
    return fmt::format("{:02}_{}{}{}{}{}{}", index, names.at(attention), mixtures, preNorm ? "" : "_post", mixtureFeedForward ? "_moe" : "",
                       lastLayer ? "_last_layer" : "", sameLength ? "_same_length" : "");
}

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (int index = 0; index < 20; ++index)
        all.push_back(variant(index));
    return all;
}

test::TorchCheckpoint plainCheckpoint(const Variant& variant) { return Builder(variant).build(); }

test::TorchCheckpoint disguised(test::TorchCheckpoint checkpoint, const Variant& variant)
{
    checkpoint.container = variant.legacy ? test::TorchContainer::Legacy : test::TorchContainer::Zip;
    checkpoint.optimizer = variant.optimizer ? test::OptimizerState::Adam : test::OptimizerState::None;
    const std::vector<std::pair<std::string, std::string>> before{
        {"projections.q", "data_to_q"}, {"projections.k", "data_to_k"}, {"projections.v", "data_to_v"}, {"projections.o", "out_proj"},
        {"selections.o", "sel_dst"},    {"selections.q", "sel_dst"},    {"selections.v", "sel_src"},    {"selections.k", "sel_src"}};
    const auto renamed = [&](std::string name) {
        for (const auto& [now, old] : before)
            if (variant.oldNames && name.ends_with(now))
                name.replace(name.size() - now.size(), now.size(), old);
        return variant.prefix + name;
    };
    for (auto& tensor : checkpoint.tensors) {
        tensor.name = renamed(tensor.name);
        if (!tensor.storageOf.empty())
            tensor.storageOf = renamed(tensor.storageOf);
        if (variant.half)
            tensor.dtype = core::DType::F16;
    }
    return checkpoint;
}

test::TorchCheckpoint withPermutedExperts(test::TorchCheckpoint checkpoint, const Variant& variant)
{
    for (auto& tensor : checkpoint.tensors) {
        const auto ends = [&tensor](const std::string& name) { return tensor.name.ends_with(name); };
        if (ends("pkm.keys") || ends("pkm.values") || ends("pkm.expert_sel"))
            permute(tensor, variant.feedForwardExperts);
        if (variant.attention == Attention::Slots && (ends("data_to_q") || ends("out_proj") || ends("sel_dst")))
            permute(tensor, variant.experts);
        for (const char letter : {'q', 'k', 'v', 'o'})
            if (variant.mixture(letter) && (ends(std::string("projections.") + letter) || ends(std::string("selections.") + letter)))
                permute(tensor, variant.expertsOf(letter));
    }
    return checkpoint;
}

Variant choosingAll(Variant variant)
{
    variant.queryExperts = variant.keyQueryExperts = 0;
    variant.chosen = variant.experts;
    variant.feedForwardChosen = variant.feedForwardExperts;
    variant.selectionNorm = "none"; // a router of zeros has no length
    if (variant.mixtureFeedForward && (variant.activation == "softmax" || variant.activation == "topk"))
        variant.activation = "relu"; // these look at one expert as a whole
    return variant;
}

test::TorchCheckpoint withSilentRouters(test::TorchCheckpoint checkpoint)
{
    for (auto& tensor : checkpoint.tensors)
        if (tensor.name.find(".selections.") != std::string::npos || tensor.name.ends_with("expert_sel") || tensor.name.ends_with("sel_dst"))
            std::fill(tensor.values.begin(), tensor.values.end(), 0.0);
    return checkpoint;
}

} // namespace headscope::tests
