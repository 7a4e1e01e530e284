// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/seeded_random.h"
#include "core/stats/significance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

namespace headscope::core {
namespace {

TEST(Significance, G2OfATableByHand)
{
    // 8 2 | 1 9: expected 4.5 5.5 | 4.5 5.5; 2·(8 ln(8/4.5) + 2 ln(2/5.5) + 1 ln(1/4.5) + 9 ln(9/5.5))
    const Independence test = independence(8, 10, 9, 20);
    EXPECT_NEAR(test.g2, 11.0158446, 1e-6);
    EXPECT_NEAR(test.expected, 4.5, 1e-12);
    EXPECT_NEAR(test.smallest, 4.5, 1e-12);
    EXPECT_NEAR(test.p, std::erfc(std::sqrt(test.g2 / 2)), 1e-12); // χ²₁ is the square of a normal variable
    const Independence rarer = independence(1, 10, 9, 20);
    EXPECT_NEAR(rarer.g2, -11.0158446, 1e-6);
    EXPECT_NEAR(rarer.p, test.p, 1e-12);
}

TEST(Significance, MarginsWithoutRoomAreIndependent)
{
    EXPECT_EQ(independence(5, 5, 20, 20).g2, 0); // e is always chosen
    EXPECT_EQ(independence(5, 5, 20, 20).p, 1);
    EXPECT_EQ(independence(0, 0, 3, 20).smallest, 0);
    EXPECT_EQ(independence(0, 0, 0, 0).p, 1);
}

TEST(Significance, AnUnseenPair)
{
    EXPECT_NEAR(independence(0, 10, 10, 20).g2, -2 * 20 * std::log(2), 1e-9);
}

TEST(Significance, ChiSquaredTail)
{
    EXPECT_NEAR(chiSquaredTail(3.841458820694124), 0.05, 1e-12);
    EXPECT_NEAR(chiSquaredTail(6.634896601021213), 0.01, 1e-12);
    EXPECT_EQ(chiSquaredTail(0), 1);
    EXPECT_EQ(chiSquaredTail(INFINITY), 0);
    EXPECT_GE(chiSquaredTail(1e6), 0);
}

TEST(Significance, BenjaminiHochbergByHand)
{
    const std::array p{0.04, 0.01, 0.03, 0.5};
    const std::vector<double> q = benjaminiHochberg(p);
    EXPECT_NEAR(q[1], 0.04, 1e-15);         // 0.01·4/1
    EXPECT_NEAR(q[2], 0.04 * 4 / 3, 1e-15); // 0.03·4/2 = 0.06, but the next is smaller
    EXPECT_NEAR(q[0], 0.04 * 4 / 3, 1e-15); // 0.04·4/3
    EXPECT_NEAR(q[3], 0.5, 1e-15);
    EXPECT_TRUE(benjaminiHochberg({}).empty());
}

TEST(SeededRandom, IsTheSameEverywhere)
{
    SeededRandom random(1);
    // std::mt19937_64 with seed 1 begins with 2469588189546311528, 2516265689700432462 (the standard fixes it).
    EXPECT_EQ(random.below(1000), 2469588189546311528U % 1000);
    EXPECT_EQ(random.below(1000), 2516265689700432462U % 1000);
    EXPECT_EQ(random.below(1), 0U);
}

TEST(SeededRandom, ShufflesEveryOrderAlike)
{
    SeededRandom random(7);
    std::array<int, 6> seen{};
    for (int i = 0; i < 6000; ++i) {
        std::array<int, 3> values{0, 1, 2};
        random.shuffle(std::span<int>(values));
        seen[static_cast<std::size_t>(values[0] * 2 + (values[1] > values[2] ? 1 : 0))]++;
    }
    for (const int count : seen)
        EXPECT_NEAR(count, 1000, 120);
}

} // namespace
} // namespace headscope::core
