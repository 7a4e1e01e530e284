// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/attention_cost.h"

#include <gtest/gtest.h>

namespace headscope::tests {
namespace {

using core::AttentionCost;
using core::attentionCost;
using core::AttentionShape;
using core::SequenceLength;

AttentionShape dense(std::int64_t width, int heads, std::int64_t headWidth, int positionHeads)
{
    const core::ProjectionCount all{.stored = heads, .computed = heads, .gated = false};
    return {.width = width,
            .heads = heads,
            .keyHeads = heads,
            .headWidth = headWidth,
            .valueWidth = headWidth,
            .positionHeads = positionHeads,
            .query = all,
            .key = all,
            .value = all,
            .output = all,
            .routerRows = 0};
}

AttentionShape switchHead(std::int64_t width, int heads, std::int64_t headWidth, int experts, int chosen)
{
    AttentionShape shape = dense(width, heads, headWidth, heads);
    shape.value = shape.output = {.stored = heads * experts, .computed = heads * chosen, .gated = true};
    shape.routerRows = 2 * heads * experts;
    return shape;
}

/// An expert has its own query and output projection; one head of keys, values and positions serves all.
AttentionShape moa(std::int64_t width, std::int64_t headWidth, int experts, int chosen)
{
    AttentionShape shape = dense(width, chosen, headWidth, 1);
    shape.keyHeads = 1;
    shape.query = {.stored = experts, .computed = chosen, .gated = false};
    shape.output = {.stored = experts, .computed = chosen, .gated = true};
    shape.key = shape.value = {.stored = 1, .computed = 1, .gated = false};
    shape.routerRows = experts;
    return shape;
}

TEST(AttentionCost, ReproducesThePublishedDenseModels)
{
    // SwitchHead paper, dense baselines with Transformer-XL memory: 47M on WikiText-103 and 262M on C4.
    const AttentionCost small = attentionCost(dense(412, 10, 41, 10), {.tokens = 256, .memory = 256});
    EXPECT_NEAR(small.multiplyAccumulates / 1e6, 453.4, 0.05);
    EXPECT_NEAR(small.storedFloats / 1e6, 3.46, 0.005);
    const AttentionCost large = attentionCost(dense(1024, 16, 64, 16), {.tokens = 512, .memory = 512});
    EXPECT_NEAR(large.multiplyAccumulates / 1e9, 5.37, 0.005);
    EXPECT_NEAR(large.storedFloats / 1e6, 20.97, 0.005);
}

TEST(AttentionCost, SwitchHeadIsThePublishedFormula)
{
    // Head width 76 in the 47M configuration: 200.3 M with two experts, 232.5 M with three (reference figures of the same
    // formula).
    EXPECT_NEAR(attentionCost(switchHead(412, 2, 76, 5, 2), {.tokens = 256, .memory = 256}).multiplyAccumulates / 1e6, 200.3,
                0.05);
    const double T = 256, d = 412, h = 76, C = 2, n = 2;
    for (const int k : {1, 2, 3}) {
        const AttentionCost cost = attentionCost(switchHead(412, 2, 76, 5, k), {.tokens = 256, .memory = 256});
        EXPECT_DOUBLE_EQ(cost.multiplyAccumulates,
                         n * (2 * T * h * d + 2 * T * k * h * (d + 1) + 2 * C * T * T * h + 2 * C * T * h * d));
        EXPECT_DOUBLE_EQ(cost.storedFloats, n * (4 * T * h + 2 * C * T * T + 2 * C * T * h));
        EXPECT_EQ(cost.matricesStored, 2 * 2 + 2 * 2 * 5);
        EXPECT_EQ(cost.matricesComputed, 2 * 2 + 2 * 2 * k);
        EXPECT_EQ(cost.attentionMatrices, 2);
        EXPECT_EQ(cost.parameters, (2 * 2 + 2 * 2 * 5 + 2) * 76 * 412);
        EXPECT_DOUBLE_EQ(cost.routing, T * d * 2 * 2 * 5);
    }
}

TEST(AttentionCost, MoaByHand)
{
    // d 3, head width 2, 4 experts of which 2 are chosen, 5 tokens, no memory.
    const AttentionCost cost = attentionCost(moa(3, 2, 4, 2), {.tokens = 5, .memory = 0});
    const double queries = 5 * 2 * (3 * 2);             // 5 tokens, 2 experts, 3 × 2
    const double keysAndValues = 5 * 2 * (3 * 2);       // once each
    const double outputs = 5 * 2 * (2 * 3) + 5 * 2 * 2; // and a gate on what goes in, 2 wide
    const double scores = 2 * 25 * 2;                   // 2 maps of 5 × 5, 2 wide
    const double mixing = 2 * 25 * 2;
    const double positions = 10 * (3 * 2); // 2T distances, once for all maps
    EXPECT_DOUBLE_EQ(cost.multiplyAccumulates, queries + keysAndValues + outputs + scores + mixing + positions);
    const double floats = 5 * (2 * 2) + 5 * 2 * 2 + 5 * (2 * 2); // queries; one key and value; outputs of heads
    EXPECT_DOUBLE_EQ(cost.storedFloats, floats + 2 * 2 * 25 + 10 * 2);
    EXPECT_EQ(cost.matricesStored, 4 + 4 + 2);
    EXPECT_EQ(cost.matricesComputed, 2 + 2 + 2);
    EXPECT_EQ(cost.attentionMatrices, 2);
    EXPECT_EQ(cost.parameters, (10 + 1) * 6);
    EXPECT_DOUBLE_EQ(cost.routing, 5 * 3 * 4);
}

TEST(AttentionCost, WithoutRelativePositionsTheirTermsFallAway)
{
    const SequenceLength length{.tokens = 7, .memory = 3};
    const AttentionCost with = attentionCost(dense(6, 2, 3, 2), length);
    const AttentionCost without = attentionCost(dense(6, 2, 3, 0), length);
    EXPECT_DOUBLE_EQ(with.multiplyAccumulates - without.multiplyAccumulates, 2 * 10 * 6 * 3 * 2);
    EXPECT_DOUBLE_EQ(with.storedFloats - without.storedFloats, 2 * 10 * 3 * 2);
    EXPECT_DOUBLE_EQ(without.multiplyAccumulates, 4 * 7 * 2 * 6 * 3 + 2 * 2 * 7 * 10 * 3);
    EXPECT_EQ(with.parameters - without.parameters, 2 * 3 * 6);
}

TEST(AttentionCost, NothingForNoTokens)
{
    const AttentionCost cost = attentionCost(dense(6, 2, 3, 2), {.tokens = 0, .memory = 0});
    EXPECT_EQ(cost.multiplyAccumulates, 0);
    EXPECT_EQ(cost.storedFloats, 0);
    EXPECT_EQ((SequenceLength{.tokens = 0, .memory = 0}.context()), 1);
}

} // namespace
} // namespace headscope::tests
