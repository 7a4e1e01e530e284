// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

namespace headscope::core::nn {
namespace {

/// Logits in which a permutation is easy to see.
std::vector<float> someLogits(std::int64_t count)
{
    std::vector<float> logits;
    for (std::int64_t i = 0; i < count; ++i)
        logits.push_back(static_cast<float>((i * 37 + 11) % 101) / 25.0F - 2);
    return logits;
}

constexpr RoutingRule rule{2, 4, 2, GateKind::Sigmoid};

at::Tensor mixtureOf(const at::Tensor& x, const at::Tensor& weights, const std::vector<float>& logits, const RoutingRule& routing)
{
    const auto buckets = bucketsOf(decide(logits, routing), {routing, false, Rows::Token, Rows::TokenHead}, x.options());
    return mixture(x, x.size(0) * routing.heads, weights, buckets, ApplyGate::Yes, {});
}

TEST(Experts, GroupedEqualsOneByOne)
{
    const auto x = at::rand({7, 5});
    const auto weights = at::rand({8, 5, 3});
    const auto logits = someLogits(7 * 8);
    const auto grouped = mixtureOf(x, weights, logits, rule);
    const auto choices = decide(logits, rule);
    auto plain = at::zeros({14, 3});
    for (std::int64_t row = 0; row < 14; ++row)
        for (std::int64_t slot = 0; slot < 2; ++slot) {
            const auto at = static_cast<std::size_t>(row * 2 + slot);
            plain[row] += choices.gates[at] * x[row / 2].matmul(weights[row % 2 * 4 + choices.experts[at]]);
        }
    EXPECT_TRUE(at::allclose(grouped, plain, 1e-5, 1e-6));
}

TEST(Experts, PermutingExpertsWithTheirRouterRowsChangesNothing)
{
    const auto x = at::rand({9, 5});
    const auto weights = at::rand({8, 5, 3});
    const auto logits = someLogits(9 * 8);
    const std::vector<std::int64_t> order{2, 0, 3, 1, 5, 7, 4, 6}; // inside each head
    std::vector<float> permuted(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        permuted[i] = logits[i / 8 * 8 + static_cast<std::size_t>(order[i % 8])];
    const auto same = mixtureOf(x, weights.index_select(0, at::tensor(order)), permuted, rule);
    EXPECT_TRUE(at::allclose(same, mixtureOf(x, weights, logits, rule), 1e-5, 1e-6));
}

TEST(Experts, AllChosenEqualsTheDenseMixture)
{
    const RoutingRule all{1, 4, 4, GateKind::Sigmoid};
    const auto x = at::rand({6, 5});
    const auto weights = at::rand({4, 5, 3});
    auto logits = someLogits(24);
    const auto gates = at::tensor(logits).view({6, 4}).sigmoid();
    EXPECT_TRUE(at::allclose(mixtureOf(x, weights, logits, all), at::einsum("te,td,edw->tw", {gates, x, weights}), 1e-5, 1e-6));
}

TEST(Experts, SharedByTheHeads)
{
    const auto x = at::rand({6, 5});
    const auto weights = at::rand({4, 5, 3});
    const auto logits = someLogits(48);
    const auto choices = decide(logits, rule);
    const auto shared = mixture(x, 12, weights, bucketsOf(choices, {rule, true, Rows::Token, Rows::TokenHead}, x.options()), ApplyGate::Yes, {});
    const auto repeated = mixtureOf(x, weights.repeat({2, 1, 1}), logits, rule);
    EXPECT_TRUE(at::allclose(shared, repeated, 1e-5, 1e-6));
}

} // namespace
} // namespace headscope::core::nn
