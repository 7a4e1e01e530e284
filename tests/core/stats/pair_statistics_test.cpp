// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/pair_statistics.h"
#include "tests/core/stats/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

void add(std::vector<Decision>& decisions, int times, std::uint32_t token, std::vector<std::uint32_t> experts,
         std::vector<double> gates = {})
{
    for (int i = 0; i < times; ++i)
        decisions.push_back({token, experts, static_cast<std::uint32_t>(decisions.size() % 2), gates});
}

/// k = 1: n(a) = 10 (8 to expert 0, 2 to 1), n(b) = 6 (1, 5), n(c) = 4 (all to 2).
RouterTable threeByThree()
{
    std::vector<Decision> decisions;
    add(decisions, 8, 0, {0});
    add(decisions, 2, 0, {1});
    add(decisions, 1, 1, {0});
    add(decisions, 5, 1, {1});
    add(decisions, 4, 2, {2});
    return tableOf(decisions, 3, 3);
}

const PairStatistics& pairOf(const PairTable& table, std::uint32_t row, std::uint32_t expert)
{
    const auto found = std::find_if(table.pairs.begin(), table.pairs.end(),
                                    [&](const PairStatistics& pair) { return pair.row == row && pair.expert == expert; });
    EXPECT_NE(found, table.pairs.end());
    return *found;
}

TEST(PairStatistics, ByHandForOneChosenExpert)
{
    const RouterTable table = threeByThree();
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    ASSERT_EQ(statistics.pairs.size(), 5U);
    const PairStatistics& pair = pairOf(statistics, 0, 0); // n(t,e) = 8, n(t) = 10, n(e) = 9, N = 20
    EXPECT_EQ(pair.count, 8);
    EXPECT_NEAR(pair.expertGivenToken, 0.8, 1e-12);
    EXPECT_NEAR(pair.tokenGivenExpert, 8.0 / 9, 1e-12);
    EXPECT_NEAR(pair.lift, 8.0 * 20 / (10 * 9), 1e-12);
    EXPECT_NEAR(pair.pmi, std::log2(16.0 / 9), 1e-12);
    EXPECT_NEAR(pair.ppmi, std::log2(16.0 / 9), 1e-12);
    EXPECT_NEAR(pair.npmi, std::log2(16.0 / 9) / -std::log2(0.4), 1e-12);
    EXPECT_NEAR(pair.expected, 4.5, 1e-12);
    EXPECT_NEAR(pair.g2, 11.0158446, 1e-6);
    EXPECT_TRUE(std::isnan(pair.p));                       // an expected count of 4.5
    const PairStatistics& rare = pairOf(statistics, 1, 0); // 1·20/(6·9)
    EXPECT_NEAR(rare.pmi, std::log2(20.0 / 54), 1e-12);
    EXPECT_EQ(rare.ppmi, 0);
    EXPECT_LT(rare.npmi, 0);
    EXPECT_LT(rare.g2, 0);
}

TEST(PairStatistics, ByHandForTwoChosenExperts)
{
    std::vector<Decision> decisions;
    add(decisions, 2, 0, {0, 1});
    add(decisions, 1, 1, {0, 2});
    add(decisions, 1, 2, {1, 2});
    const RouterTable table = tableOf(decisions, 3, 3);
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    const PairStatistics& pair = pairOf(statistics, 0, 0); // N = 4, k = 2, n(t,e) = 2, n(t) = 2, n(e) = 3
    EXPECT_NEAR(pair.lift, 2.0 * 4 / (2 * 3), 1e-12);
    EXPECT_NEAR(pair.expertGivenToken, 0.5, 1e-12); // 2/(2·2)
    EXPECT_NEAR(pair.tokenGivenExpert, 2.0 / 3, 1e-12);
    EXPECT_NEAR(pair.npmi, std::log2(4.0 / 3) / -std::log2(2.0 / 8), 1e-12);
    EXPECT_EQ(statistics.weighting, Weighting::Selections);
}

TEST(PairStatistics, WeightedByGatesWhereEverythingIsChosen)
{
    std::vector<Decision> decisions;
    add(decisions, 1, 0, {0, 1}, {0.9, 0.1});
    add(decisions, 1, 1, {0, 1}, {0.5, 0.5});
    const RouterTable table = tableOf(decisions, 2, 2);
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    EXPECT_EQ(statistics.weighting, Weighting::Gates);
    const PairStatistics& pair = pairOf(statistics, 0, 0); // G = 2, G(t) = 1, G(e) = 1.4
    EXPECT_NEAR(pair.lift, 0.9 * 2 / (1 * 1.4), 1e-12);
    EXPECT_NEAR(pair.expertGivenToken, 0.9, 1e-12);
    for (const PairColumn column : {PairColumn::NullPmi, PairColumn::PmiLow, PairColumn::G2, PairColumn::P, PairColumn::Q}) {
        EXPECT_TRUE(std::isnan(value(table, pair, column))) << info(column).name;
        EXPECT_THAT(whyBlank(table, statistics, pair, column), HasSubstr("gates"));
    }
    const PairTable hard = pairStatistics(table, {.weighting = Weighting::Selections, .minimum = 0});
    EXPECT_NEAR(pairOf(hard, 0, 0).pmi, 0, 1e-12);
}

TEST(PairStatistics, AddedAlphaKeepsAJoint)
{
    const RouterTable table = threeByThree();
    const PairTable statistics = pairStatistics(table, {.minimum = 0, .alpha = 0.5});
    const PairStatistics& pair = pairOf(statistics, 0, 0); // (8+½)(20+½·9)/((10+½·3)(9+½·3))
    EXPECT_NEAR(pair.lift, 8.5 * 24.5 / (11.5 * 10.5), 1e-12);
    EXPECT_NEAR(pair.expertGivenToken, 8.5 / 11.5, 1e-12);
    EXPECT_EQ(pair.count, 8);
}

TEST(PairStatistics, TheMinimumIsOnTheToken)
{
    const RouterTable table = threeByThree();
    EXPECT_EQ(pairStatistics(table, {.minimum = 6}).pairs.size(), 4U);
    EXPECT_EQ(pairStatistics(table, {.minimum = 0, .minimumPair = 4}).pairs.size(), 3U);
    EXPECT_EQ(pairStatistics(table, {.minimum = 11}).pairs.size(), 0U);
}

TEST(PairStatistics, TestsCoverUnseenPairsAndAllFourExpectedCounts)
{
    std::vector<Decision> decisions;
    add(decisions, 60, 0, {0});
    add(decisions, 60, 1, {1});
    add(decisions, 4, 2, {0}); // expected 2.06 with either expert
    const RouterTable table = tableOf(decisions, 3, 2);
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    EXPECT_EQ(statistics.tested, 4); // (0,0) (0,1) (1,0) (1,1), of which (0,1) and (1,0) never occurred
    EXPECT_FALSE(std::isnan(pairOf(statistics, 0, 0).q));
    EXPECT_TRUE(std::isnan(pairOf(statistics, 2, 0).q));
    EXPECT_THAT(whyBlank(table, statistics, pairOf(statistics, 2, 0), PairColumn::Q), HasSubstr("below 5"));
    // The family of q is not what is listed.
    const PairTable few = pairStatistics(table, {.minimum = 0, .minimumPair = 60});
    EXPECT_EQ(few.tested, 4);
    EXPECT_EQ(few.pairs.front().q, statistics.pairs.front().q);
}

TEST(PairStatistics, FewDocumentsHaveNoNullAndNoInterval)
{
    const RouterTable table = threeByThree();
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    EXPECT_TRUE(std::isnan(statistics.pairs.front().nullPmi));
    EXPECT_EQ(whyBlank(table, statistics, statistics.pairs.front(), PairColumn::NullPmi),
              "2 documents were counted; 20 are needed.");
    EXPECT_EQ(whyBlank(table, statistics, statistics.pairs.front(), PairColumn::Pmi), "");
}

TEST(PairStatistics, SortedByExpertWithBlanksLast)
{
    const RouterTable table = threeByThree();
    const PairTable statistics = pairStatistics(table, {.minimum = 0});
    const auto rowsOf = [&](PairColumn column, std::size_t top) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
        for (const std::size_t i : sortedByExpert(table, statistics, column, top))
            rows.emplace_back(statistics.pairs[i].expert, statistics.pairs[i].row);
        return rows;
    };
    using Rows = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    EXPECT_EQ(rowsOf(PairColumn::Pmi, 0), (Rows{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 2}}));
    EXPECT_EQ(rowsOf(PairColumn::Pmi, 1), (Rows{{0, 0}, {1, 1}, {2, 2}}));
    EXPECT_EQ(rowsOf(PairColumn::Q, 0), (Rows{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 2}})); // all blank: by n(t,e)
}

TEST(PairStatistics, EveryColumnHasANameOfItsOwn)
{
    for (int i = 0; i < pairColumns; ++i) {
        const auto column = static_cast<PairColumn>(i);
        EXPECT_EQ(pairColumn(info(column).name), column);
        EXPECT_FALSE(info(column).formula.empty());
    }
    EXPECT_EQ(pairColumn("pmi "), std::nullopt);
}

TEST(PairStatistics, OfNothing)
{
    const RouterTable table = tableOf({}, 0, 4);
    EXPECT_TRUE(pairStatistics(table, {}).pairs.empty());
}

} // namespace
} // namespace headscope::core::testing
