// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that the tables of both training codes have.
#pragma once

#include "core/families/parameter_table.h"

#include <array>
#include <cstddef>

namespace headscope::core::moe_attention {

template <std::size_t... sizes>
constexpr auto joined(const std::array<ParameterKey, sizes>&... lists)
{
    std::array<ParameterKey, (sizes + ...)> all{};
    std::size_t at = 0;
    const auto append = [&](const auto& list) {
        for (const auto& row : list)
            all[at++] = row;
    };
    (append(lists), ...);
    return all;
}

template <std::size_t size>
constexpr std::array<ParameterKey, size> trainingOnly(const std::array<std::string_view, size>& names)
{
    std::array<ParameterKey, size> rows{};
    for (std::size_t i = 0; i < size; ++i)
        rows[i] = {names[i], KeyClass::Training, "", "", "", "", ""};
    return rows;
}

/// Memory of earlier segments, as the codes' own evaluation has it (docs/checkpoints.md).
// clang-format off
inline constexpr std::array memoryKeys{
    ParameterKey{"lm.unroll", KeyClass::Free, "100", "!unroll-eval", "always", "", "tokens of a segment"},
    ParameterKey{"lm.unroll_eval", KeyClass::Free, "none", "", "", "", "tokens of a segment in evaluation, instead of lm.unroll"},
    ParameterKey{"lm.trafo.context_blocks", KeyClass::Free, "1", "!test-blocks", "always", "", "earlier segments that are seen"},
    ParameterKey{"lm.trafo.test_context_blocks", KeyClass::Free, "none", "", "", "", "earlier segments that evaluation sees, instead of lm.trafo.context_blocks"},
    ParameterKey{"lm.trafo.same_length", KeyClass::Free, "0", "memory !same-length-eval", "", "", "every token sees equally many, in training and evaluation"},
    ParameterKey{"lm.trafo.same_length_eval", KeyClass::Free, "0", "memory !same-length", "", "", "every token sees equally many, in evaluation"},
    ParameterKey{"lm.trafo.last_layer_context", KeyClass::Free, "0", "memory", "", "", "memory is the last layer's output"},
};
// clang-format on

/// What only training, logging and data sets look at, in both codes.
inline constexpr std::array sharedTrainingKeys = trainingOnly(std::to_array<std::string_view>({
    "adam.*",
    "amp",
    "batch_size",
    "debug_plot_interval",
    "dropout",
    "dump_logs",
    "dump_validation_plots",
    "gpu",
    "grad_clip",
    "keep_alive",
    "length_bucketed_sampling",
    "lm.example_context",
    "lm.example_window",
    "lm.state_drop_probability",
    "lmds.*",
    "log",
    "log_grad_norms",
    "lr",
    "lr_sched.*",
    "lr_warmup",
    "max_length_per_batch",
    "moa.cvloss",
    "moa.switchloss",
    "moa.zloss",
    "moe.att.drop_expert",
    "moe.att.expert_dropout",
    "moe.att.norm_init",
    "moe.att.perplexity_reg",
    "moe.drop_expert",
    "moe.dropout_factor",
    "moe.init_scale",
    "moe.perplexity_reg",
    "moe.perplexity_reg_mode",
    "moe.sync_distributed",
    "n_microbatch",
    "name",
    "nan_detect",
    "optimizer",
    "plot.*",
    "profile",
    "reg",
    "reg_lin_decay",
    "reg_scales",
    "reset",
    "restore",
    "save_interval",
    "seed",
    "speedtest",
    "stop_after",
    "sweep_id_for_grid_search",
    "test_batch_size",
    "test_interval",
    "test_only",
    "test_pretrained",
    "train_baseline",
    "transformer.attention_dropout",
    "transformer.p_drop_layer",
    "transformer.plot_head_details",
    "val_log_details",
    "wandb*",
    "wd",
}));

} // namespace headscope::core::moe_attention
