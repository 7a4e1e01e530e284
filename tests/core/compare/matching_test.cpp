// SPDX-License-Identifier: GPL-3.0-or-later
// The best assignment is the best of all.
#include "core/compare/matching.h"

#include "core/stats/seeded_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace headscope::core {
namespace {

double valueOf(const std::vector<double>& values, int columns, const std::vector<int>& columnOf)
{
    double sum = 0;
    for (std::size_t row = 0; row < columnOf.size(); ++row)
        if (columnOf[row] >= 0)
            sum += values[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(columnOf[row])];
    return sum;
}

/// Every order of the longer side, of which the shorter takes the first.
double bestOfAll(const std::vector<double>& values, int rows, int columns)
{
    std::vector<int> order(static_cast<std::size_t>(std::max(rows, columns)));
    std::iota(order.begin(), order.end(), 0);
    double best = -1e300;
    do {
        double sum = 0;
        for (int i = 0; i < std::min(rows, columns); ++i) {
            const int other = order[static_cast<std::size_t>(i)];
            const int row = rows <= columns ? i : other;
            const int column = rows <= columns ? other : i;
            sum += values[static_cast<std::size_t>(row * columns + column)];
        }
        best = std::max(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

void expectBest(const std::vector<double>& values, int rows, int columns)
{
    const std::vector<int> columnOf = bestAssignment(values, rows, columns);
    ASSERT_EQ(columnOf.size(), static_cast<std::size_t>(rows));
    std::set<int> used;
    int matched = 0;
    for (const int column : columnOf) {
        ASSERT_LT(column, columns);
        if (column < 0)
            continue;
        EXPECT_TRUE(used.insert(column).second) << "column " << column << " twice";
        ++matched;
    }
    EXPECT_EQ(matched, std::min(rows, columns));
    EXPECT_NEAR(valueOf(values, columns, columnOf), bestOfAll(values, rows, columns), 1e-9) << rows << " x " << columns;
    EXPECT_EQ(bestAssignment(values, rows, columns), columnOf);
}

TEST(BestAssignment, EqualsTheBestOfAllOrders)
{
    SeededRandom random(3);
    for (int size = 1; size <= 7; ++size)
        for (int round = 0; round < (size < 7 ? 40 : 10); ++round) {
            std::vector<double> values(static_cast<std::size_t>(size * size));
            for (double& value : values)
                value = static_cast<double>(random.below(2'000'001)) / 1000 - 1000;
            expectBest(values, size, size);
        }
}

TEST(BestAssignment, WithManyEqualValues)
{
    SeededRandom random(4);
    for (int size = 2; size <= 6; ++size)
        for (int round = 0; round < 40; ++round) {
            std::vector<double> values(static_cast<std::size_t>(size * size));
            for (double& value : values)
                value = static_cast<double>(random.below(3));
            expectBest(values, size, size);
        }
    expectBest(std::vector<double>(36, 0), 6, 6);
}

TEST(BestAssignment, WhereOneSideIsLonger)
{
    SeededRandom random(5);
    for (const auto& [rows, columns] : {std::pair{1, 7}, {7, 1}, {2, 7}, {7, 2}, {3, 6}, {6, 3}, {5, 7}, {7, 5}})
        for (int round = 0; round < 10; ++round) {
            std::vector<double> values(static_cast<std::size_t>(rows * columns));
            for (double& value : values)
                value = round % 2 == 0 ? static_cast<double>(random.below(1'000'000)) : static_cast<double>(random.below(3));
            expectBest(values, rows, columns);
        }
}

TEST(BestAssignment, OfNothing)
{
    EXPECT_TRUE(bestAssignment({}, 0, 3).empty());
    EXPECT_EQ(bestAssignment({}, 2, 0), (std::vector<int>{-1, -1}));
}

} // namespace
} // namespace headscope::core
