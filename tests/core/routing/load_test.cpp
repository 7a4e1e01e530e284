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
    // 2 of 4 each: 1 - (4 - 2) / (2·2·N·ln 4); where all are chosen the load is uniform whatever happens.
    EXPECT_NEAR(loadOf({8000, 8000, 8000, 8000}, {1, 1, 1, 1}, 2).expectedEntropy, 1 - 2 / (64'000 * std::log(4)), 1e-12);
    EXPECT_NEAR(loadOf({3000, 3000, 1000, 1000}, {1, 1, 1, 1}, 1).expectedEntropy, 1 - 3 / (16'000 * std::log(4)), 1e-12);
    EXPECT_EQ(loadOf({4, 4}, {1, 1}, 2).expectedEntropy, 1);
}

/// Σ over every way in which `positions` may choose k different of E experts, of the entropy of the load.
double enumerated(int experts, int chosen, int positions)
{
    std::vector<std::vector<int>> sets;
    for (int bits = 0; bits < 1 << experts; ++bits) {
        std::vector<int> set;
        for (int e = 0; e < experts; ++e)
            if ((bits >> e & 1) != 0)
                set.push_back(e);
        if (static_cast<int>(set.size()) == chosen)
            sets.push_back(set);
    }
    double sum = 0, ways = 0;
    std::vector<std::size_t> choice(static_cast<std::size_t>(positions), 0);
    for (bool more = true; more; ++ways) {
        std::vector<std::int64_t> selections(static_cast<std::size_t>(experts), 0);
        for (const std::size_t set : choice)
            for (const int e : sets[set])
                ++selections[static_cast<std::size_t>(e)];
        sum += loadOf(selections, std::vector<double>(selections.size(), 0), chosen).entropy;
        more = false;
        for (std::size_t& digit : choice) {
            digit = (digit + 1) % sets.size();
            more = digit != 0;
            if (more)
                break;
        }
    }
    return sum / ways;
}

TEST(FaultB20, TheExpectedEntropyOfFewPositionsIsExact)
{
    EXPECT_NEAR(expectedLoadEntropy(5, 2, 1), std::log(2) / std::log(5), 1e-12); // 0.431, where the series gave 0.534
    EXPECT_NEAR(loadOf({1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, 2).expectedEntropy, 0.4307, 1e-4);
    for (const auto& [experts, chosen] : {std::pair{5, 2}, {4, 1}, {4, 3}, {6, 2}, {3, 3}})
        for (int positions = 1; positions <= 4; ++positions)
            EXPECT_NEAR(expectedLoadEntropy(experts, chosen, positions), enumerated(experts, chosen, positions), 1e-12)
                << experts << ' ' << chosen << ' ' << positions;
}

TEST(FaultB20, TheSeriesTakesOverWhereItIsRight)
{
    for (const auto& [experts, chosen] : {std::pair{5, 2}, {16, 1}, {64, 8}}) {
        const double enough = 1000.0 * experts / chosen;
        EXPECT_NEAR(expectedLoadEntropy(experts, chosen, enough - 1), expectedLoadEntropy(experts, chosen, enough + 1), 2e-6 / enough * 1000 + 2e-7);
    }
}

TEST(FaultB21, TheEntropyOfALoadNeverExceedsOne)
{
    for (int experts = 2; experts <= 70; ++experts)
        for (const std::int64_t each : {1, 3, 7, 87165}) {
            const std::vector<std::int64_t> even(static_cast<std::size_t>(experts), each);
            const auto load = loadOf(even, std::vector<double>(even.size(), 0), experts);
            EXPECT_LE(load.entropy, 1) << experts;
            EXPECT_NEAR(load.entropy, 1, 1e-12);
            EXPECT_LE(load.expectedEntropy, 1);
            EXPECT_LE(loadOf(even, std::vector<double>(even.size(), 0), 1).entropy, 1);
        }
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
