// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/run.h"

#include <ATen/core/TensorBody.h>

#include <functional>

namespace headscope::core::nn {

/// Runs the head over the last layer's output in stretches of rows, so that [tokens, vocabulary] never exists unless `trace.options.logits` asks
/// for it, and fills in loss, rank, predictions and logits. `head`: [n, d] -> [n, vocabulary]. `ids`: [tokens] on the device.
/// The rows that `reuse` stands for come from the earlier trace; x and ids begin behind them.
void runHead(const at::Tensor& x, const at::Tensor& ids, const std::function<at::Tensor(const at::Tensor&)>& head, Trace& trace,
             const Reuse& reuse, const Progress& progress);

} // namespace headscope::core::nn
