// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/arguments.h"
#include "core/families/moe_attention/keys.h"
#include "core/families/moe_attention/training_keys.h"

namespace headscope::core::moe_attention {
namespace {

using enum KeyClass;

// name, class, default, where it acts, where it must be given, words, meaning
// clang-format off
constexpr std::array modelKeys{
    ParameterKey{"family", Cut, "moeut_training_code", "", "", "", "which code trained it"},
    ParameterKey{"task", Texts, "", "", "", "", "data set: how a text becomes ids"},
    ParameterKey{"sentencepiece.n_pieces", Settled, "8000", "!byte-task", "", "", "vocabulary"},
    ParameterKey{"state_size", Settled, "128", "", "", "", "width d"},
    ParameterKey{"embedding_size", Settled, "none", "", "", "", "width of the embedding, where it is not d"},
    ParameterKey{"tied_embedding", Settled, "0", "", "", "", "embedding and output are one matrix: refused where they are two"},
    ParameterKey{"transformer.encoder_n_layers", Free, "3", "universal", "always", "", "applications of the layer modules"},
    ParameterKey{"transformer.encoder_n_layers", Cut, "3", "", "", "", "layers"},
    ParameterKey{"transformer.universal.group_size", Settled, "1", "universal", "always", "", "layer modules"},
    ParameterKey{"transformer.universal.group_type", Free, "abab", "order", "", "abab, aabb", "order in which the modules are applied"},
    ParameterKey{"transformer.variant", Cut, "standard", "", "", "preln_moe_universal, moe_universal, preln_moe, moe, preln_rope, rope",
                 "attention, feed-forward layers and norms"},
    ParameterKey{"transformer.embedding_scale", Free, "none", "", "", "", "scale of the embedding; none is 1 in pre-LN models, else √d"},
    ParameterKey{"transformer.n_heads", Cut, "4", "", "always", "", "heads H"},
    ParameterKey{"transformer.head_projection_size", Cut, "none", "", "odd-head-width", "", "head width; none is d / H"},
    ParameterKey{"transformer.ff_multiplier", Settled, "2.0", "dense-ffn", "", "", "width of the feed-forward layers / d"},
    ParameterKey{"transformer.activation", Free, "relu", "", "", "relu, gelu, identity, sigmoid, softmax, topk", "of the feed-forward layers"},
    ParameterKey{"transformer.topk_value", Free, "32", "topk-activation", "", "", "how many pre-activations become 0"},
    ParameterKey{"moe.nonorm", Settled, "0", "mixture-ffn", "", "", "norms stand before routers, queries and keys only"},
    ParameterKey{"moe.att.enable", Cut, "0", "mixture-ffn", "", "", "attention is a mixture"},
    ParameterKey{"moe.att.n_experts", Cut, "4", "plain-experts", "", "", "experts E of a head"},
    ParameterKey{"moe.att.k", Free, "2", "switchhead", "always", "", "experts a token chooses"},
    ParameterKey{"moe.att.q_expert", Cut, "1", "switchhead", "", "", "queries are a mixture"},
    ParameterKey{"moe.att.k_expert", Cut, "1", "switchhead", "", "", "keys are a mixture"},
    ParameterKey{"moe.att.v_expert", Cut, "1", "switchhead", "", "", "values are a mixture"},
    ParameterKey{"moe.att.o_expert", Cut, "1", "switchhead", "", "", "outputs are a mixture"},
    ParameterKey{"moe.att.v_size", Cut, "none", "switchhead", "", "", "width of a head's values; none is the head width"},
    ParameterKey{"moe.att.selection_mode", Free, "sigmoid", "switchhead", "always", "sigmoid, softmax", "gates of the attention's experts"},
    ParameterKey{"moe.att.same_sel", Settled, "0", "sharing-told", "", "", "values use the outputs' router"},
    ParameterKey{"moe.att.separate_kq_sel", Free, "0", "key-router-open", "", "", "keys use the queries' router, not the values'"},
    ParameterKey{"moe.att.separate_kq_sel", Settled, "0", "separate-told", "", "", "queries and keys have routers of their own"},
    ParameterKey{"rope.rotate_fraction", Free, "0.5", "rotary", "", "", "share of the head width that is rotated, down to an even number"},
    ParameterKey{"rope.base", Free, "10000.0", "rotary rotates", "", "", "base of the rotary frequencies"},
    ParameterKey{"pkm.n_heads", Free, "1", "mixture-ffn", "always", "", "feed-forward experts a token chooses"},
    ParameterKey{"moe.n_experts", Cut, "128", "mixture-ffn", "", "", "feed-forward experts"},
    ParameterKey{"moe.expert_size", Settled, "128", "mixture-ffn", "", "", "width of a feed-forward expert"},
    ParameterKey{"moe.selection_mode", Free, "sigmoid", "mixture-ffn", "always", "sigmoid, gate", "gates of the feed-forward experts"},
    ParameterKey{"moe.activation_after_topk", Free, "0", "gate-ffn", "", "", "softmax over the chosen, not over all"},
    ParameterKey{"moe.bias", Settled, "0", "mixture-ffn", "", "", "feed-forward experts have biases"},
    ParameterKey{"moe.sel_bias", Settled, "0", "mixture-ffn", "", "", "the feed-forward router has a bias"},
    ParameterKey{"lm.trafo.norm_input", Free, "0", "", "", "", "a norm without parameters before the first layer"},
    ParameterKey{"lm.trafo.force_out_norm", Cut, "0", "post-variant", "", "", "an output norm in a post-LN model"},
};
// clang-format on

constexpr std::array trainingKeys = trainingOnly(std::to_array<std::string_view>({
    "bfloat16",
    "details_log_interval",
    "fs_cache_pattern",
    "lm.eval.*",
    "lm.trafo.xl_init",
    "load_pretrained_model",
    "min_lr_multiplier",
    "moa.miloss",
    "moe.att.dropout",
    "moe.att.expert_size",
    "moe.att.perplexity_reg_mode",
    "moe.att.selection_dropout",
    "moe.layer_std_constant",
    "moe.selection_dropout",
    "per_device_batch_size",
    "sut.*",
    "thestack.*",
    "transformer.act_loss",
}));

constexpr auto keys = joined(modelKeys, memoryKeys, sharedTrainingKeys, trainingKeys);

constexpr std::array ignored{
    IgnoredTensor{"unique_layers.*.pkm.kv_sel_counts_100", "statistics of training"},
    IgnoredTensor{"unique_layers.*.pkm.iter", "a counter of training"},
};

Traits traits(const Checkpoint& checkpoint, const Arguments& arguments)
{
    auto all = commonTraits(checkpoint, arguments);
    const auto variant = arguments.text("transformer.variant").value_or("preln_moe_universal");
    const bool universal = variant.ends_with("universal");
    if (universal)
        all.insert("universal");
    if (!variant.starts_with("preln"))
        all.insert("post-variant");
    // Only where several modules are applied several times is there an order.
    const bool several = checkpoint.find("unique_layers.1.self_attn.projections.q") ||
                         checkpoint.find("unique_layers.1.self_attn.data_to_q.weight");
    if (universal && several)
        all.insert("order");
    return all;
}

} // namespace

constinit const ParameterTable universalTable{"moeut_training_code", keys, ignored, traits};

} // namespace headscope::core::moe_attention
