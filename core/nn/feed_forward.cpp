// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/feed_forward.h"

#include "core/nn/experts.h"

#include <ATen/ops/gelu.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>

#include <tuple>

namespace headscope::core::nn {

at::Tensor activate(const at::Tensor& x, Activation activation, std::int64_t largest)
{
    switch (activation) {
    case Activation::Relu: return at::relu(x);
    case Activation::Gelu: return at::gelu(x);
    case Activation::Identity: return x;
    case Activation::Sigmoid: return at::sigmoid(x);
    case Activation::Softmax: return at::softmax(x, -1);
    case Activation::WithoutLargest: {
        const auto least = std::get<0>(at::topk(x, largest, -1)).narrow(-1, largest - 1, 1);
        return x.masked_fill(x >= least, 0);
    }
    }
    return x;
}

at::Tensor DenseFeedForward::operator()(const FeedForwardInput& input, Run&) const
{
    return at::linear(activate(at::linear(input.value, upWeight, upBias), activation, largest), downWeight, downBias);
}

void ExpertFeedForward::routeOnly(const FeedForwardInput& input, Run& run) const
{
    const RoutedInput routed{&router, input.router};
    run.route({&routed, 1});
}

at::Tensor ExpertFeedForward::operator()(const FeedForwardInput& input, Run& run) const
{
    const RoutedInput routed{&router, input.router};
    const auto choices = run.route({&routed, 1}).front();
    const auto buckets = bucketsOf(choices, {router.rule, false, Rows::Token, Rows::Token}, input.value.options());
    const bool before = router.rule.gate == GateKind::Magnitude;
    const auto expert = [this, before](const Bucket& bucket) {
        auto hidden = at::mm(bucket.rows, up.select(0, bucket.expert));
        if (before)
            hidden = hidden.mul_(bucket.gates);
        if (upBias.defined())
            hidden = hidden + upBias.select(0, bucket.expert);
        auto result = at::mm(activate(hidden, activation, largest), down.select(0, bucket.expert));
        return before ? result : result.mul_(bucket.gates);
    };
    const auto out = mixture(input.value, input.value.size(0), down.size(2), buckets, expert, run.progress());
    return downBias.defined() ? out + downBias : out;
}

} // namespace headscope::core::nn
