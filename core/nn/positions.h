// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/device.h"

#include <ATen/core/TensorBody.h>

#include <cstdint>

namespace headscope::core::nn {

/// Sinusoids of relative positions, interleaved: row i holds t = i - before, column 2a is sin(t·w_a), 2a + 1 is cos(t·w_a),
/// w_a = 10000^(-2a/width) (Dai et al. 2019, Transformer-XL). Past positions have negative t; `after` may be negative too. [before + 1 + after, width]
at::Tensor relativeSinusoids(std::int64_t before, std::int64_t after, std::int64_t width, const Compute& compute);

/// Rotary positions on the first `rotated` (even) dimensions of a head, half-split pairs (a, a + rotated/2), angle p·base^(-2a/rotated)
/// (Su et al. 2021). Other dimensions pass.
struct Rotary {
    std::int64_t rotated = 0;
    double base = 10000;

    /// x: [tokens, heads, width] at positions first, first + 1, …
    at::Tensor operator()(const at::Tensor& x, std::int64_t first) const;
};

} // namespace headscope::core::nn
