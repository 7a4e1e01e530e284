// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/keys.h"

#include "core/families/moe_attention/training_keys.h"

namespace headscope::core::moe_attention {
namespace {

using enum KeyClass;

// name, class, default, where it acts, where it must be given, words, meaning
// clang-format off
constexpr std::array modelKeys{
    ParameterKey{"family", Cut, "moe_attention", "", "", "", "which code trained it"},
    ParameterKey{"task", Texts, "", "", "", "", "data set: how a text becomes ids"},
    ParameterKey{"sentencepiece.n_pieces", Settled, "8000", "!byte-task", "", "", "vocabulary"},
    ParameterKey{"state_size", Settled, "128", "", "", "", "width d"},
    ParameterKey{"embedding_size", Settled, "none", "", "", "", "width of the embedding, where it is not d"},
    ParameterKey{"tied_embedding", Settled, "0", "", "", "", "embedding and output are one matrix: refused where they are two"},
    ParameterKey{"transformer.encoder_n_layers", Settled, "3", "", "", "", "layers"},
    ParameterKey{"transformer.variant", Cut, "standard", "", "",
                 "preln_relative, preln_moeatt, preln_rope, rope, preln_moe, moe", "attention, feed-forward layers and norms"},
    ParameterKey{"transformer.n_heads", Cut, "4", "content-biases", "", "", "heads H"},
    ParameterKey{"transformer.n_heads", Free, "4", "moa", "always", "", "experts a token chooses"},
    ParameterKey{"transformer.n_heads", Cut, "4", "", "always", "", "heads H"},
    ParameterKey{"transformer.head_projection_size", Cut, "none", "", "odd-head-width", "", "head width; none is d / H"},
    ParameterKey{"transformer.ff_multiplier", Settled, "2.0", "dense-ffn", "", "", "width of the feed-forward layers / d"},
    ParameterKey{"transformer.activation", Free, "relu", "!gelu-variant", "", "relu, gelu, identity, sigmoid, softmax, topk", "of the feed-forward layers"},
    ParameterKey{"transformer.topk_value", Free, "32", "topk-activation", "", "", "how many pre-activations become 0"},
    ParameterKey{"transformer.ln_affine", Settled, "1", "", "", "", "layer norms have weight and bias"},
    ParameterKey{"moe.att.enable", Cut, "0", "mixture-ffn", "", "", "attention is a mixture"},
    ParameterKey{"moe.att.variant", Cut, "moa", "switchhead|moa", "", "full, full_rope, moa", "kind of the mixture"},
    ParameterKey{"moe.att.n_experts", Cut, "4", "plain-experts", "", "", "experts E (of a head)"},
    ParameterKey{"moe.att.qside_n_experts", Cut, "none", "query-side-experts", "", "", "experts of o and q, where they are not E"},
    ParameterKey{"moe.att.kq_n_experts", Cut, "none", "switchhead q-experts|k-experts", "", "", "experts of k and q, where they are not E"},
    ParameterKey{"moe.att.k", Free, "2", "switchhead", "always", "", "experts a token chooses"},
    ParameterKey{"moe.att.q_expert", Cut, "1", "switchhead", "", "", "queries are a mixture"},
    ParameterKey{"moe.att.k_expert", Cut, "1", "switchhead", "", "", "keys are a mixture"},
    ParameterKey{"moe.att.v_expert", Cut, "1", "switchhead", "", "", "values are a mixture"},
    ParameterKey{"moe.att.o_expert", Cut, "1", "switchhead", "", "", "outputs are a mixture"},
    ParameterKey{"moe.att.v_size", Cut, "none", "switchhead", "", "", "width of a head's values; none is the head width"},
    ParameterKey{"moe.att.selection_mode", Free, "sigmoid", "switchhead|moa-my", "always", "sigmoid, softmax", "gates of the attention's experts"},
    ParameterKey{"moe.att.norm_qk", Free, "0", "norm-qk", "", "", "gates of queries and keys are divided by their sum"},
    ParameterKey{"moe.att.same_sel", Settled, "0", "sharing-told", "", "", "values use the outputs' router"},
    ParameterKey{"moe.att.separate_kq_sel", Free, "0", "key-router-open", "", "", "keys use the queries' router, not the values'"},
    ParameterKey{"moe.att.separate_kq_sel", Settled, "0", "separate-told", "", "", "queries and keys have routers of their own"},
    ParameterKey{"moe.att.shared_experts", Cut, "0", "switchhead several-heads", "", "", "heads share their experts"},
    ParameterKey{"moe.att.norm_ret", Settled, "0", "switchhead mixture-ffn", "", "", "what a head retrieves is normed"},
    ParameterKey{"moa.mode", Free, "my", "moa", "always", "my, moa", "gates of the MoA baseline"},
    ParameterKey{"rope.rotate_fraction", Free, "0.5", "rotary", "", "", "share of the head width that is rotated"},
    ParameterKey{"rope.base", Free, "10000.0", "rotary rotates", "", "", "base of the rotary frequencies"},
    ParameterKey{"pkm.n_heads", Free, "1", "mixture-ffn", "always", "", "feed-forward experts a token chooses"},
    ParameterKey{"moe.n_experts", Cut, "128", "mixture-ffn", "", "", "feed-forward experts"},
    ParameterKey{"moe.expert_size", Settled, "128", "mixture-ffn", "", "", "width of a feed-forward expert"},
    ParameterKey{"moe.selection_mode", Free, "sigmoid", "mixture-ffn", "always", "sigmoid, gate, mul", "gates of the feed-forward experts"},
    ParameterKey{"moe.activation_after_topk", Free, "0", "gate-ffn", "", "", "softmax over the chosen, not over all"},
    ParameterKey{"moe.sel_norm", Free, "none", "mixture-ffn", "", "none, cos, weights, input", "norm of the feed-forward router's logits"},
    ParameterKey{"moe.topk_mode", Free, "full", "mixture-ffn", "", "full, approx, l1_approx", "how feed-forward experts are chosen; only full is supported"},
    ParameterKey{"lm.trafo.embedding_mode_init", Free, "default", "post-norm !xl-init", "",
                 "default=like_preln=one_and_scale_to_sqrt_dmodel, init_to_sqrt_dmodel, scale_to_sqrt_dmodel", "scale of the embedding"},
    ParameterKey{"lm.trafo.xl_init", Free, "0", "post-norm init-to-sqrt", "", "", "scale of the embedding"},
    ParameterKey{"lm.trafo.test_pos_clamp", Free, "none", "", "", "", "farthest distance of positions in evaluation; only none is supported"},
};
// clang-format on

constexpr std::array trainingKeys = trainingOnly(std::to_array<std::string_view>({
    "analysis.*",
    "eos",
    "kvmem.*",
    "lm.lstm_weight_drop",
    "moe.drop_parallel",
    "moe.expert_lr_multipler",
    "moe.identical_init",
    "moe.modulation_amplitude",
    "moe.n_random",
    "moe.norm_expert_sel_init",
    "moe.norm_key_init",
    "moe.norm_keys",
    "moe.norm_value_init",
    "moe.reg_type",
    "moe.sel_lr_multipler",
    "restore_pretrained",
    "sos",
    "transformer.ln_after_attention",
}));

constexpr auto keys = joined(modelKeys, memoryKeys, sharedTrainingKeys, trainingKeys);

constexpr std::array ignored{
    IgnoredTensor{"unique_layers.*.self_attn.s_bias", "nothing in the code reads it"},
    IgnoredTensor{"unique_layers.*.pkm.kv_sel_counts_100", "statistics of training"},
    IgnoredTensor{"unique_layers.*.pkm.iter", "a counter of training"},
};

} // namespace

constinit const ParameterTable trainingTable{"moe_attention", keys, ignored, commonTraits};

} // namespace headscope::core::moe_attention
