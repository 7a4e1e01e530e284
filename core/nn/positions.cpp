// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

#include <cmath>

namespace headscope::core::nn {

// Frequencies and angles are float32 as in the models' own code: t·w rounds there too, and at long distances that shows.

at::Tensor relativeSinusoids(std::int64_t before, std::int64_t after, std::int64_t width, const Compute& compute)
{
    const auto options = at::TensorOptions().device(compute.device).dtype(at::kFloat);
    const auto t = at::arange(-before, after + 1, options);
    const auto w = at::exp(at::arange(0, width, 2, options) * (-std::log(10000.0) / static_cast<double>(width)));
    const auto angle = t.unsqueeze(1) * w.unsqueeze(0); // [positions, width / 2]
    const auto pairs = at::stack({at::sin(angle), at::cos(angle)}, 2).reshape({t.size(0), -1});
    return pairs.narrow(1, 0, width).to(compute.dtype); // an odd width drops the last cosine
}

at::Tensor Rotary::operator()(const at::Tensor& x, std::int64_t first) const
{
    if (rotated == 0)
        return x;
    const auto options = at::TensorOptions().device(x.device()).dtype(at::kFloat);
    const auto frequency = at::pow(base, at::arange(0, rotated, 2, options) / static_cast<double>(rotated)).reciprocal();
    const auto angle = at::arange(first, first + x.size(0), options).unsqueeze(1) * frequency.unsqueeze(0); // [tokens, rotated / 2]
    const auto sine = at::sin(angle).unsqueeze(1).to(x.dtype());
    const auto cosine = at::cos(angle).unsqueeze(1).to(x.dtype());
    const auto half = rotated / 2;
    const auto a = x.narrow(2, 0, half);
    const auto b = x.narrow(2, half, half);
    return at::cat({a * cosine - b * sine, b * cosine + a * sine, x.narrow(2, rotated, x.size(2) - rotated)}, 2);
}

} // namespace headscope::core::nn
