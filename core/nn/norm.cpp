// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/norm.h"

#include <ATen/ops/layer_norm.h>

namespace headscope::core::nn {

at::Tensor LayerNorm::operator()(const at::Tensor& x) const
{
    return at::layer_norm(x, {x.size(-1)}, weight.defined() ? std::optional(weight) : std::nullopt,
                          bias.defined() ? std::optional(bias) : std::nullopt, epsilon);
}

} // namespace headscope::core::nn
