// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/TensorBody.h>

namespace headscope::core::nn {

/// LayerNorm over the last dimension (Ba et al. 2016). Without weight and bias it only standardises.
struct LayerNorm {
    at::Tensor weight; // [width]; may be undefined
    at::Tensor bias;   // [width]; may be undefined
    double epsilon = 1e-5;

    at::Tensor operator()(const at::Tensor& x) const; // [..., width] -> [..., width]
};

} // namespace headscope::core::nn
