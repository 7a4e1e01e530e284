// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/distributions.h"

#include "core/stats/percentiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace headscope::core {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<double>;

TEST(JensenShannon, ByHand)
{
    EXPECT_EQ(jensenShannon(Values{1, 2, 3}, Values{2, 4, 6}), 0);
    EXPECT_EQ(jensenShannon(Values{1, 0}, Values{0, 5}), 1);
    // (1/2, 1/2) and (1, 0): m = (3/4, 1/4)
    EXPECT_NEAR(jensenShannon(Values{1, 1}, Values{1, 0}),
                (0.5 * std::log2(2.0 / 3) + 0.5 * std::log2(2) + std::log2(4.0 / 3)) / 2, 1e-15);
    EXPECT_TRUE(std::isnan(jensenShannon(Values{0, 0}, Values{1, 0})));
    EXPECT_TRUE(std::isnan(jensenShannon(Values{}, Values{})));
}

TEST(MutualInformation, ByHand)
{
    EXPECT_EQ(mutualInformation(Values{3, 0, 0, 3}, 2), 1);
    EXPECT_NEAR(mutualInformation(Values{1, 2, 2, 4, 3, 6}, 2), 0, 1e-15); // rows are multiples
    // p = 1/2 1/4 | 0 1/4: rows 3/4 1/4, columns 1/2 1/2
    EXPECT_NEAR(mutualInformation(Values{2, 1, 0, 1}, 2),
                0.5 * std::log2(4.0 / 3) + 0.25 * std::log2(2.0 / 3) + 0.25 * std::log2(2), 1e-15);
    EXPECT_EQ(mutualInformation(Values{0, 0}, 2), 0);
    EXPECT_EQ(mutualInformation(Values{}, 0), 0);
}

TEST(AverageRanks, TiesShareTheirMean)
{
    EXPECT_THAT(averageRanks(Values{3, 1, 2}), ElementsAre(3, 1, 2));
    EXPECT_THAT(averageRanks(Values{0, 5, 0, 5, 1}), ElementsAre(1.5, 4.5, 1.5, 4.5, 3));
    EXPECT_THAT(averageRanks(Values{-1, 0, 2, 0, -3, -1}), ElementsAre(2.5, 4.5, 6, 4.5, 1, 2.5));
    EXPECT_THAT(averageRanks(Values{0, 0, 0}), ElementsAre(2, 2, 2));
    EXPECT_THAT(averageRanks(Values{}), ElementsAre());
}

TEST(RankCorrelation, ByHand)
{
    EXPECT_EQ(rankCorrelation(Values{1, 2, 3, 10}, Values{2, 3, 5, 6}), 1);
    EXPECT_EQ(rankCorrelation(Values{1, 2, 3}, Values{3, 2, 1}), -1);
    EXPECT_NEAR(rankCorrelation(Values{1, 2, 3, 4, 5}, Values{2, 1, 4, 3, 5}), 1 - 6.0 * 4 / (5 * 24), 1e-15);
    EXPECT_TRUE(std::isnan(rankCorrelation(Values{1, 2}, Values{3, 3})));
    EXPECT_TRUE(std::isnan(rankCorrelation(Values{}, Values{})));
}

TEST(MiddleOf, TakesTheOuterOrderStatistics)
{
    Values values;
    for (int i = 100; i >= 0; --i)
        values.push_back(i);
    EXPECT_EQ(middleOf(values, 0.95), (std::pair{2.0, 98.0}));
    EXPECT_EQ(middleOf({7}, 0.95), (std::pair{7.0, 7.0}));
    EXPECT_TRUE(std::isnan(middleOf({}, 0.95).first));
}

} // namespace
} // namespace headscope::core
