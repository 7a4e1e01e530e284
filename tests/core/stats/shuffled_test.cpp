// SPDX-License-Identifier: GPL-3.0-or-later
// Where choices have nothing to do with tokens, tests find as much as chance says and no more.
#include "core/stats/pair_statistics.h"
#include "core/stats/seeded_random.h"
#include "core/stats/significance.h"
#include "tests/core/stats/table_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>

namespace headscope::core::testing {
namespace {

constexpr std::uint32_t tokens = 200;
constexpr int experts = 5;

/// Tokens by Zipf's law, experts of uneven load, two of five each.
std::vector<Decision> decisions(SeededRandom& random)
{
    std::vector<Decision> all;
    for (std::uint32_t token = 0; token < tokens; ++token) {
        for (std::uint32_t i = 0; i < 3000 / (token + 1) + 5; ++i) {
            const auto first = static_cast<std::uint32_t>(random.below(experts));
            auto second = static_cast<std::uint32_t>(random.below(experts - 1));
            second = random.below(3) == 0 ? 0 : second;
            all.push_back({token, {first, second >= first ? second + 1 : second}, 0});
        }
    }
    return all;
}

TEST(Shuffled, PValuesAreCalibratedAndQFindsNothing)
{
    SeededRandom random(20);
    std::vector<Decision> all = decisions(random);
    std::vector<std::uint32_t> labels;
    for (const Decision& decision : all)
        labels.push_back(decision.token);
    const std::array levels{0.01, 0.05, 0.1};
    std::array<double, 3> below{};
    double tested = 0;
    int tablesWithFinds = 0;
    for (int round = 0; round < 100; ++round) {
        random.shuffle(std::span(labels));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].token = labels[i];
        const RouterTable table = tableOf(all, tokens, experts);
        // Every pair that q is corrected for, the unseen ones included.
        std::vector<std::int64_t> counts(tokens * experts, 0);
        for (const TablePair& pair : table.pairs)
            counts[pair.row * experts + pair.expert] = pair.count;
        double here = 0;
        for (std::size_t cell = 0; cell < counts.size(); ++cell) {
            const std::int64_t token = table.rowCounts[cell / experts];
            const Independence test = independence(counts[cell], token, table.selections[cell % experts], table.positions);
            if (token < 10 || test.smallest < smallestExpected)
                continue;
            ++here;
            for (std::size_t level = 0; level < levels.size(); ++level)
                below[level] += test.p < levels[level] ? 1 : 0;
        }
        tested += here;
        const PairTable statistics = pairStatistics(table, {});
        EXPECT_EQ(static_cast<double>(statistics.tested), here);
        bool found = false;
        for (const PairStatistics& pair : statistics.pairs)
            found = found || pair.q < 0.05;
        tablesWithFinds += found ? 1 : 0;
    }
    for (std::size_t level = 0; level < levels.size(); ++level) {
        const double share = below[level] / tested;
        RecordProperty("share_below_" + std::to_string(levels[level]), std::to_string(share));
        EXPECT_GT(share, 0.6 * levels[level]);
        EXPECT_LT(share, 1.4 * levels[level]);
    }
    RecordProperty("tables_with_finds", tablesWithFinds);
    EXPECT_LE(tablesWithFinds, 12);
}

} // namespace
} // namespace headscope::core::testing
