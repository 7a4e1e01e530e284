// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/load_summary.h"
#include "tests/core/stats/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

/// k = 1, E = 4: selections 6, 1, 1, 0 of 8; token 0 picks expert 0 four times, token 1 twice expert 0, once 1, once 2.
RouterTable uneven()
{
    std::vector<Decision> all(4, Decision{0, {0}, 0, {0.5}});
    all.push_back({1, {0}, 0, {0.25}});
    all.push_back({1, {0}, 0, {0.25}});
    all.push_back({1, {1}, 0, {1.0}});
    all.push_back({1, {2}, 0, {1.0}});
    return tableOf(all, 2, 4);
}

TEST(LoadSummary, ByHand)
{
    const RouterSummary summary = routerSummary(uneven());
    ASSERT_EQ(summary.experts.size(), 4U);
    EXPECT_NEAR(summary.experts[0].share, 0.75, 1e-12);
    EXPECT_NEAR(summary.experts[0].relative, 3, 1e-12);
    EXPECT_NEAR(summary.experts[0].meanGate, 2.5 / 6, 1e-12);
    EXPECT_NEAR(summary.experts[0].tokenEntropy, -(4.0 / 6) * std::log2(4.0 / 6) - (2.0 / 6) * std::log2(2.0 / 6), 1e-12);
    EXPECT_NEAR(summary.experts[0].effectiveTokens, std::exp2(summary.experts[0].tokenEntropy), 1e-12);
    EXPECT_NEAR(summary.experts[0].pmiBound, std::log2(8.0 / 6), 1e-12);
    EXPECT_EQ(summary.experts[1].tokenEntropy, 0);
    EXPECT_TRUE(std::isnan(summary.experts[3].meanGate));
    EXPECT_EQ(summary.load.dead, 1);
    EXPECT_NEAR(summary.maxViolation, 2, 1e-12);
    // Shares 0 ⅛ ⅛ ¾: Σ over ordered pairs |a - b| = 2·(⅛+⅛+¾+0+⅝+⅝) = 4.5; over 2E = 8
    EXPECT_NEAR(summary.gini, 4.5 / 8, 1e-12);
    EXPECT_EQ(summary.withinBand, 0);
    EXPECT_NEAR(summary.pmiBound, 2, 1e-12);
    EXPECT_NEAR(summary.chanceOverlap, (36 + 1 + 1) / 64.0, 1e-12);
    EXPECT_NEAR(summary.uniformOverlap, 0.25, 1e-12);
    EXPECT_NEAR(summary.constantGuess, 0.75, 1e-12);
    EXPECT_NEAR(summary.tokenGuess, (4 + 2) / 8.0, 1e-12);
    EXPECT_TRUE(std::isnan(summary.balanceLoss));
    EXPECT_THAT(summary.whyNoLosses, HasSubstr("softmax"));
}

TEST(LoadSummary, BalanceLossesOfASoftmaxRouter)
{
    RouterTable table = uneven();
    table.gate = GateKind::SoftmaxAll;
    table.softmax = SoftmaxSums{{4, 2, 1, 1}, 40};
    const RouterSummary summary = routerSummary(table);
    EXPECT_NEAR(summary.experts[0].meanProbability, 0.5, 1e-12);
    EXPECT_NEAR(summary.balanceLoss, 4 * (0.75 * 0.5 + 0.125 * 0.25 + 0.125 * 0.125), 1e-12);
    EXPECT_NEAR(summary.zLoss, 5, 1e-12);
    EXPECT_EQ(summary.whyNoLosses, "");
}

TEST(LoadSummary, UniformLoad)
{
    const RouterSummary summary = routerSummary(tableOf({{0, {0, 1}}, {0, {2, 3}}, {1, {0, 2}}, {1, {1, 3}}}, 2, 4));
    EXPECT_NEAR(summary.load.entropy, 1, 1e-12);
    EXPECT_NEAR(summary.gini, 0, 1e-12);
    EXPECT_NEAR(summary.maxViolation, 0, 1e-12);
    EXPECT_EQ(summary.withinBand, 1);
    EXPECT_NEAR(summary.chanceOverlap, 0.5, 1e-12);
    EXPECT_NEAR(summary.constantGuess, 0.5, 1e-12);
}

TEST(LoadSummary, OfNothing)
{
    const RouterSummary summary = routerSummary(tableOf({}, 0, 3));
    EXPECT_EQ(summary.load.dead, 3);
    EXPECT_TRUE(std::isnan(summary.gini));
    EXPECT_THAT(summary.whyNoLosses, HasSubstr("No position"));
}

TEST(TagLoads, AgainstLoad)
{
    RouterTable table = uneven();
    table.tags = {{"", 0, {0, 0, 0, 0}, {0, 0, 0, 0}}, {"code", 4, {4, 0, 0, 0}, {}}, {"web", 4, {2, 1, 1, 0}, {}}};
    const std::vector<TagLoad> loads = tagLoads(table);
    ASSERT_EQ(loads.size(), 3U);
    EXPECT_TRUE(std::isnan(loads[0].share[0]));
    EXPECT_NEAR(loads[1].share[0], 1, 1e-12);
    EXPECT_NEAR(loads[1].lift[0], 1 / 0.75, 1e-12);
    EXPECT_NEAR(loads[2].lift[1], 0.25 / 0.125, 1e-12);
    EXPECT_TRUE(std::isnan(loads[2].lift[3]));
}

} // namespace
} // namespace headscope::core::testing
