// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/run.h"

#include <ATen/core/TensorBody.h>

#include <vector>

namespace headscope::core::nn {

enum class Activation : std::uint8_t {
    Relu,
    Gelu, // exact (erf)
    Identity,
    Sigmoid,
    Softmax,
    WithoutLargest, // the `largest` greatest values of a row (and what equals the last of them) become 0, the others pass
};
/// x: [..., width]; `largest` from 1 to width, for WithoutLargest.
at::Tensor activate(const at::Tensor& x, Activation activation, std::int64_t largest = 0);

struct FeedForwardInput {
    at::Tensor router; // [tokens, d]: what a router reads
    at::Tensor value;  // [tokens, d]: what the layer is applied to
};

/// [tokens, d] -> [tokens, d], before the residual sum.
class FeedForward
{
public:
    virtual ~FeedForward() = default;
    virtual at::Tensor operator()(const FeedForwardInput& input, Run& run) const = 0;
    /// Only what its routers decide; without routers, nothing.
    virtual void routeOnly(const FeedForwardInput&, Run&) const {}
    virtual std::vector<const RouterLayer*> routers() const { return {}; }
    /// Multiply-accumulates with weights that a token costs.
    virtual std::int64_t products() const = 0;
    /// The matrices that one of these routers picks from, each [E, …].
    virtual std::vector<at::Tensor> expertsOf(const RouterLayer&) const { return {}; }
};

class DenseFeedForward : public FeedForward
{
public:
    at::Tensor upWeight, upBias;     // [f, d], [f]
    at::Tensor downWeight, downBias; // [d, f], [d]
    Activation activation = Activation::Relu;
    std::int64_t largest = 0; // of the activation

    at::Tensor operator()(const FeedForwardInput& input, Run& run) const override;
    std::int64_t products() const override { return upWeight.numel() + downWeight.numel(); }
};

/// Non-competitive mixture of experts (Csordás et al. 2023, "Approximating two-layer feedforward networks"): sum of gate · act(x·up[e])·down[e].
/// With magnitude gates the gate multiplies the pre-activation instead.
class ExpertFeedForward : public FeedForward
{
public:
    RouterLayer router;  // site Mlp
    at::Tensor up;       // [E, d, size]
    at::Tensor down;     // [E, size, d]
    at::Tensor upBias;   // [E, size]; may be undefined
    at::Tensor downBias; // [d]; may be undefined
    Activation activation = Activation::Relu;
    std::int64_t largest = 0; // of the activation

    at::Tensor operator()(const FeedForwardInput& input, Run& run) const override;
    void routeOnly(const FeedForwardInput& input, Run& run) const override;
    std::vector<const RouterLayer*> routers() const override { return {&router}; }
    std::int64_t products() const override
    {
        return router.matrix.numel() + router.rule.chosen * (up.size(1) * up.size(2) + down.size(1) * down.size(2));
    }
    std::vector<at::Tensor> expertsOf(const RouterLayer&) const override { return {up, down}; }
};

} // namespace headscope::core::nn
