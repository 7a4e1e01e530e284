// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/parameter_table.h"

namespace headscope::core::moe_attention {

/// Hyper-parameters of the moe_attention training code (keys.cpp).
extern const ParameterTable trainingTable;
/// Those of moeut_training_code, whose layer modules are applied several times (universal_keys.cpp).
extern const ParameterTable universalTable;

/// What both codes have in common:
///   switchhead, moa, dense     the attention; relative, rotary  its positions; content-biases  the tensors tell the number
///   of dense heads q-experts … o-experts      which projections are mixtures; plain-experts  some have moe.att.n_experts
///   experts, query-side-experts
///                              some have moe.att.qside_n_experts
///   mixture-ffn, dense-ffn     the feed-forward layers; gate-ffn  their gates are softmax
///   pre-norm, post-norm        out_norm is there or not
///   memory                     evaluation sees earlier segments
/// and what hyper-parameters make inactive: moa-my, odd-head-width, sigmoid, norm-qk, several-heads, same-sel,
/// separate-kq-sel, sharing-told, separate-told, key-router-open, rotates, gelu-variant, topk-activation, init-to-sqrt,
/// xl-init, unroll-eval, test-blocks, same-length, same-length-eval, byte-task.
Traits commonTraits(const Checkpoint& checkpoint, const Arguments& arguments);

} // namespace headscope::core::moe_attention
