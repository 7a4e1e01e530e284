// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/information.h"
#include "core/stats/seeded_random.h"
#include "tests/core/stats/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

std::vector<ClassedSelection> cellsOf(const RouterTable& table)
{
    std::vector<ClassedSelection> cells;
    for (const TablePair& pair : table.pairs)
        cells.push_back({0, pair.row, pair.expert, pair.count});
    return cells;
}

TEST(Information, ByHand)
{
    // n = 3 1 | 1 3: I = 2·(3/8)·log2(3/2) + 2·(1/8)·log2(1/2)
    const std::vector<ClassedSelection> cells{{0, 0, 0, 3}, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 3}};
    EXPECT_NEAR(information(cells, 2, 1).bits, 0.75 * std::log2(1.5) - 0.25, 1e-12);
    // Shuffled: n(0,0) is hypergeometric(8, 4, 4): 0 … 4 with weights 1 16 36 16 1 of 70; the table has 1, 0.1887…, 0 bits.
    EXPECT_NEAR(information(cells, 2, 1).shuffledBits, (2 * 1 + 32 * (0.75 * std::log2(1.5) - 0.25)) / 70, 1e-12);
}

TEST(Information, TheMeanOfShuffledTables)
{
    SeededRandom random(4);
    std::vector<Decision> all;
    for (std::uint32_t i = 0; i < 600; ++i) {
        const auto first = static_cast<std::uint32_t>(random.below(4));
        const auto second = static_cast<std::uint32_t>(random.below(3));
        all.push_back({i < 200 ? 0 : i % 30, {first, second >= first ? second + 1 : second}});
    }
    const double expected = information(cellsOf(tableOf(all, 30, 4)), 4, 2).shuffledBits;
    double sum = 0;
    constexpr int rounds = 400;
    std::vector<std::uint32_t> labels;
    for (const Decision& decision : all)
        labels.push_back(decision.token);
    for (int round = 0; round < rounds; ++round) {
        random.shuffle(std::span(labels));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].token = labels[i];
        const Information shuffled = information(cellsOf(tableOf(all, 30, 4)), 4, 2);
        EXPECT_NEAR(shuffled.shuffledBits, expected, 1e-12); // depends on the margins alone
        sum += shuffled.bits;
    }
    EXPECT_NEAR(sum / rounds, expected, 0.02 * expected);
    EXPECT_GT(expected, 0.01);
}

TEST(Information, LargeCountsGiveWhatSmallOnesLeadTo)
{
    // The bias of a 2 × 2 table tends to 1 / (2 N ln 2) bits; beyond some size it is computed by an expansion.
    for (const std::int64_t size : {std::int64_t{1000}, std::int64_t{100'000}, std::int64_t{10'000'000}}) {
        const std::vector<ClassedSelection> cells{{0, 0, 0, size}, {0, 0, 1, size}, {0, 1, 0, size}, {0, 1, 1, size}};
        const double bias = 1 / (2 * 4 * static_cast<double>(size) * std::log(2));
        EXPECT_NEAR(information(cells, 2, 1).shuffledBits, bias, 0.01 * bias + 1e-15) << size;
    }
}

TEST(Decomposition, AChoiceThatTheTokenDecides)
{
    std::vector<Decision> all;
    for (std::uint32_t i = 0; i < 4000; ++i)
        all.push_back({i % 4, {i % 4, (i + 1) % 4}});
    const Decomposition result = decomposition(tableOf(all, 4, 4));
    EXPECT_NEAR(result.entropy, 2, 1e-12);
    EXPECT_NEAR(result.explainable, 1, 1e-12); // log2 4 - log2 2
    EXPECT_NEAR(result.token->information.bits, 1, 1e-12);
    EXPECT_NEAR(result.token->share, 1, 1e-9);
    EXPECT_FALSE(result.previous);
}

TEST(Decomposition, AChoiceThatThePreviousTokenDecides)
{
    SeededRandom random(9);
    RouterTable table;
    std::vector<Decision> all;
    std::vector<ClassedSelection> previous;
    for (std::uint32_t token = 0; token < 3; ++token) {
        for (std::uint32_t before = 0; before < 4; ++before) {
            for (int i = 0; i < 500; ++i)
                all.push_back({token, {before % 2}});
            previous.push_back({token, before, before % 2, 500});
        }
    }
    table = tableOf(all, 3, 2);
    table.previous = previous;
    for (std::uint32_t token = 0; token < 2; ++token) { // places, of two of the three tokens, that say nothing
        for (std::uint32_t bin = 0; bin < 2; ++bin) {
            for (std::uint32_t expert = 0; expert < 2; ++expert)
                table.places.push_back({token, bin, expert, 500});
        }
    }
    const Decomposition result = decomposition(table);
    EXPECT_NEAR(result.token->information.bits, 0, 1e-9);
    EXPECT_LE(result.token->share, 0); // below the mean of the shuffled ones
    EXPECT_NEAR(result.previous->share, 1, 0.01);
    EXPECT_NEAR(result.previous->coverage, 1, 1e-12);
    EXPECT_NEAR(result.place->share, 0, 0.01);
    EXPECT_NEAR(result.place->coverage, 2.0 / 3, 1e-12);
}

TEST(Decomposition, NothingToExplain)
{
    EXPECT_THAT(decomposition(tableOf({{0, {0, 1}}, {1, {0, 1}}}, 2, 2)).whyBlank, HasSubstr("no choice"));
    EXPECT_THAT(decomposition(tableOf({{0, {1}}, {1, {1}}}, 2, 2)).whyBlank, HasSubstr("same experts"));
    EXPECT_THAT(decomposition(tableOf({}, 2, 2)).whyBlank, HasSubstr("No position"));
}

} // namespace
} // namespace headscope::core::testing
