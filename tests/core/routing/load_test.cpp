// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headscope::core {
namespace {

/// One router, k = 1, choosing the given experts.
SiteRouting siteChoosing(std::vector<std::int32_t> experts, int available)
{
    SiteRouting site;
    site.router.experts = available;
    site.router.chosen = 1;
    site.tokens = static_cast<std::int64_t>(experts.size());
    site.gates.assign(experts.size(), 0.5F);
    site.margins.assign(experts.size(), 1.0F);
    site.experts = std::move(experts);
    return site;
}

TEST(Load, UniformLoadHasFullEntropy)
{
    const auto load = loadOf(siteChoosing({0, 1, 2, 3, 0, 1, 2, 3}, 4), 0);
    EXPECT_NEAR(load.entropy, 1, 1e-12);
    EXPECT_EQ(load.dead, 0);
    EXPECT_EQ(load.selections, (std::vector<std::int64_t>{2, 2, 2, 2}));
    EXPECT_DOUBLE_EQ(load.gateMass[0], 1.0);
    EXPECT_LT(load.expectedEntropy, 1);
}

TEST(Load, OneExpertTakesAll)
{
    const auto load = loadOf(siteChoosing({2, 2, 2}, 4), 0);
    EXPECT_EQ(load.entropy, 0);
    EXPECT_EQ(load.dead, 3);
}

TEST(Load, ExpectedEntropyKnowsThatChosenExpertsDiffer)
{
    // 4 positions, 2 of 4 each: 1 - (4 - 2) / (2·2·4·ln 4); where all are chosen the load is uniform whatever happens.
    EXPECT_NEAR(loadOf({2, 2, 2, 2}, {1, 1, 1, 1}, 2).expectedEntropy, 1 - 2 / (16 * std::log(4)), 1e-12);
    EXPECT_NEAR(loadOf({3, 3, 1, 1}, {1, 1, 1, 1}, 1).expectedEntropy, 1 - 3 / (16 * std::log(4)), 1e-12);
    EXPECT_EQ(loadOf({4, 4}, {1, 1}, 2).expectedEntropy, 1);
}

TEST(Load, OfAnEmptyText)
{
    const auto load = loadOf(siteChoosing({}, 4), 0);
    EXPECT_EQ(load.entropy, 0);
    EXPECT_EQ(load.dead, 4);
}

TEST(Doubt, MarginsBelowRoundingOrTheFirstPercentile)
{
    auto site = siteChoosing(std::vector<std::int32_t>(200, 0), 2);
    site.logits.assign(400, 8.0F);
    site.margins[0] = 0.01F;                                 // below 8 / 256
    site.margins[1] = std::numeric_limits<float>::quiet_NaN(); // nothing was rejected
    const auto threshold = doubtThreshold(site, 0);
    EXPECT_TRUE(doubtful(site, 0, 0, threshold));
    EXPECT_FALSE(doubtful(site, 1, 0, threshold));
    EXPECT_FALSE(doubtful(site, 2, 0, threshold));
}

} // namespace
} // namespace headscope::core
