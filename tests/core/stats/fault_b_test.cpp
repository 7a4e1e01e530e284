// SPDX-License-Identifier: GPL-3.0-or-later
// Which documents count, pooled routers, and why values are blank.
#include "core/export/statistics_export.h"
#include "core/stats/group_intervals.h"
#include "core/stats/information.h"
#include "core/stats/pair_statistics.h"
#include "core/stats/seeded_random.h"
#include "core/stats/tables.h"
#include "tests/core/stats/counts_builder.h"
#include "tests/core/stats/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <span>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// So many documents of forty positions, their group given by their number.
RouterTable ofDocuments(std::uint32_t documents, int groups)
{
    SeededRandom random(documents);
    std::vector<Decision> all;
    for (std::uint32_t document = 0; document < documents; ++document)
        for (int i = 0; i < 40; ++i)
            all.push_back(
                {static_cast<std::uint32_t>(random.below(4)), {static_cast<std::uint32_t>(random.below(2))}, document});
    RouterTable table = tableOf(all, 4, 2, groups);
    table.groups.positions.assign(static_cast<std::size_t>(groups), 0);
    for (const GroupCount& count : table.groups.counts)
        table.groups.positions[count.group] += count.count;
    return table;
}

TEST(FaultB8, BlankDocumentsAreNone)
{
    RouterTable table = ofDocuments(3, 32);
    table.documents += 30; // blank ones, in groups of their own
    for (std::size_t group = 2; group < 32; ++group)
        ++table.groups.documents[group];
    EXPECT_EQ(groupsHolding(table.groups), 3);
    EXPECT_LT(documentsHolding(table), fewestDocuments);
    const BlankColumns blank = blankColumns(table, {});
    EXPECT_THAT(blank.null, HasSubstr("20 are needed"));
    EXPECT_THAT(blank.interval, HasSubstr("20 are needed"));
    EXPECT_THAT(blankColumns(ofDocuments(20, 32), {}).null, IsEmpty());
    EXPECT_THAT(blankColumns(ofDocuments(19, 32), {}).null, HasSubstr("19 documents"));
}

TEST(FaultB8, IntervalsNeedDistinctGroups)
{
    // Forty copies of three documents are in three groups.
    RouterTable copies = ofDocuments(3, 32);
    copies.documents = 40;
    copies.groups.documents[0] = 38;
    EXPECT_THAT(blankColumns(copies, {}).null, IsEmpty());
    EXPECT_THAT(blankColumns(copies, {}).interval, HasSubstr("3 of 32 groups of documents hold something"));
    EXPECT_THAT(blankColumns(copies, {}).interval, HasSubstr("16 are needed"));
    for (const PairStatistics& pair : pairStatistics(copies, {}).pairs)
        EXPECT_TRUE(std::isnan(pair.pmiLow) && std::isnan(pair.pmiHigh));
    for (const auto& [groups, needed] : {std::pair{2, 2}, {3, 2}, {4, 2}, {8, 4}, {32, 16}, {40, 20}, {4096, 20}})
        EXPECT_EQ(fewestGroups(groups), needed) << groups;
    EXPECT_THAT(blankColumns(ofDocuments(20, 64), {}).interval, IsEmpty());
}

TEST(FaultB13, RarePairsAreBlankWithAReason)
{
    std::vector<Decision> all;
    for (std::uint32_t document = 0; document < 40; ++document) {
        for (int i = 0; i < 30; ++i)
            all.push_back({0, {static_cast<std::uint32_t>(i % 3 == 0)}, document});
        if (document % 4 == 0)
            all.push_back({1, {document < 20 ? 0U : 1U}, document}); // ten times: 3.3 expected of expert 1
    }
    const RouterTable table = tableOf(all, 2, 2, 16);
    const PairTable statistics = pairStatistics(table, {});
    bool seen = false;
    for (const PairStatistics& pair : statistics.pairs) {
        EXPECT_EQ(std::isnan(pair.pmiLow), pair.expected < 5);
        EXPECT_EQ(std::isnan(pair.pmiLow), std::isnan(pair.pmiHigh));
        if (std::isnan(pair.pmiLow)) {
            seen = true;
            EXPECT_THAT(whyBlank(table, statistics, pair, PairColumn::PmiHigh), HasSubstr("fewer than 5"));
        }
    }
    EXPECT_TRUE(seen);
}

// ── Pooled routers ──

/// What several routers chose at one position.
struct Position {
    std::uint32_t token = 0;
    std::uint32_t before = 0;
    std::vector<std::vector<std::uint32_t>> choices; // [routers]
};

/// Routers that share a part of their choices with the first, which follows token and token before.
std::vector<Position> positionsOf(std::size_t count, int routers, int experts, std::uint64_t seed)
{
    SeededRandom random(seed);
    std::vector<Position> all;
    std::uint32_t before = 0;
    const auto e = static_cast<std::uint64_t>(experts);
    for (std::size_t i = 0; i < count; ++i) {
        Position position{static_cast<std::uint32_t>(std::min(random.below(6), random.below(6))), before, {}};
        for (int router = 0; router < routers; ++router) {
            const bool alike = router > 0 && random.below(2) == 0;
            const std::uint64_t first = alike ? position.choices[0][0]
                                        : random.below(3) > 0
                                            ? (position.token + position.before + static_cast<std::uint64_t>(router)) % e
                                            : random.below(e);
            const std::uint64_t second = (first + 1 + random.below(e - 1)) % e;
            position.choices.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
        }
        before = position.token % 3;
        all.push_back(position);
    }
    return all;
}

RouterTable pooledTable(const std::vector<Position>& positions, int experts)
{
    const std::size_t routers = positions.front().choices.size();
    std::vector<Decision> all;
    std::map<std::array<std::uint32_t, 3>, std::int64_t> classes;
    for (const Position& position : positions)
        for (const auto& choice : position.choices) {
            all.push_back({position.token, choice});
            for (const std::uint32_t expert : choice)
                ++classes[{position.token, position.before, expert}];
        }
    RouterTable table = tableOf(all, 6, experts);
    table.members.assign(routers, "router");
    for (const auto& [key, count] : classes)
        table.previous.push_back({key[0], key[1], key[2], count});
    PooledChoices pooled;
    pooled.routers = static_cast<int>(routers);
    pooled.positions.assign(static_cast<std::size_t>(experts) * (routers + 1), 0);
    pooled.ofRows.assign(6 * static_cast<std::size_t>(experts) * routers, 0);
    for (std::uint32_t token = 0; token < 6; ++token)
        pooled.rows.push_back(token);
    for (const Position& position : positions) {
        std::vector<std::size_t> times(static_cast<std::size_t>(experts), 0);
        for (std::size_t router = 0; router < routers; ++router)
            for (const std::uint32_t expert : position.choices[router]) {
                ++times[expert];
                ++pooled.ofRows[(position.token * static_cast<std::size_t>(experts) + expert) * routers + router];
            }
        for (std::size_t expert = 0; expert < times.size(); ++expert)
            ++pooled.positions[expert * (routers + 1) + times[expert]];
    }
    table.pooled = std::make_shared<const PooledChoices>(std::move(pooled));
    return table;
}

/// H(E) minus the mean over positions of the entropy of what the routers chose there.
double explainableByHand(const std::vector<Position>& positions, int experts)
{
    std::vector<double> load(static_cast<std::size_t>(experts), 0);
    double left = 0, all = 0;
    for (const Position& position : positions) {
        std::map<std::uint32_t, double> here;
        double selections = 0;
        for (const auto& choice : position.choices)
            for (const std::uint32_t expert : choice) {
                ++here[expert];
                ++load[expert];
                ++selections;
            }
        for (const auto& [expert, times] : here)
            left -= times / selections * std::log2(times / selections);
        all += selections;
    }
    double entropy = 0;
    for (const double selections : load)
        entropy -= selections > 0 ? selections / all * std::log2(selections / all) : 0;
    return entropy - left / static_cast<double>(positions.size());
}

class PooledRouters : public ::testing::TestWithParam<int>
{
};

TEST_P(PooledRouters, FaultB12_ExplainableAndTokenNullAsCountedByHand)
{
    constexpr int experts = 5;
    std::vector<Position> positions = positionsOf(900, GetParam(), experts, 7);
    const Decomposition result = decomposition(pooledTable(positions, experts));
    EXPECT_NEAR(result.explainable, explainableByHand(positions, experts), 1e-12);
    EXPECT_LT(result.explainable, result.entropy - 1); // less than one router of two choices would have
    SeededRandom random(3);
    constexpr int rounds = 300;
    double mean = 0;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::uint32_t> tokens;
        for (const Position& position : positions)
            tokens.push_back(position.token);
        random.shuffle(std::span(tokens));
        for (std::size_t i = 0; i < positions.size(); ++i)
            positions[i].token = tokens[i];
        mean += decomposition(pooledTable(positions, experts)).token->information.bits / rounds;
    }
    EXPECT_NEAR(result.token->information.shuffledBits, mean, 0.04 * mean);
}

TEST_P(PooledRouters, FaultB12_NullOfThePreviousTokenAsShuffledByHand)
{
    constexpr int experts = 5;
    std::vector<Position> positions = positionsOf(600, GetParam(), experts, 8);
    const Decomposition result = decomposition(pooledTable(positions, experts));
    SeededRandom random(4);
    constexpr int rounds = 300;
    double mean = 0;
    std::map<std::uint32_t, std::vector<std::size_t>> ofToken;
    for (std::size_t i = 0; i < positions.size(); ++i)
        ofToken[positions[i].token].push_back(i);
    for (int round = 0; round < rounds; ++round) {
        for (const auto& [token, places] : ofToken)
            for (std::size_t router = 0; router < positions.front().choices.size(); ++router) {
                std::vector<std::vector<std::uint32_t>> choices;
                for (const std::size_t place : places)
                    choices.push_back(positions[place].choices[router]);
                random.shuffle(std::span(choices));
                for (std::size_t i = 0; i < places.size(); ++i)
                    positions[places[i]].choices[router] = choices[i];
            }
        mean += decomposition(pooledTable(positions, experts)).previous->information.bits / rounds;
    }
    EXPECT_NEAR(result.previous->information.shuffledBits, mean, 0.04 * mean);
    EXPECT_GE(result.previous->share, 0);
}

TEST_P(PooledRouters, FaultB12_WhatTheTokenDecidesIsDecided)
{
    std::vector<Position> positions = positionsOf(800, GetParam(), 5, 9);
    for (Position& position : positions)
        for (std::uint32_t router = 0; router < position.choices.size(); ++router)
            position.choices[router] = {(position.token + router) % 5, (position.token + router + 2) % 5};
    const Decomposition result = decomposition(pooledTable(positions, 5));
    EXPECT_NEAR(result.token->share, 1, 1e-9);
    EXPECT_NEAR(result.token->information.bits, result.explainable, 1e-9);
    EXPECT_EQ(result.previous->information.explained(), 0);
    EXPECT_EQ(result.previous->share, 0);
}

INSTANTIATE_TEST_SUITE_P(Routers, PooledRouters, ::testing::Values(2, 3, 7));

TEST(FaultB12, OneRouterIsWhatItWas)
{
    std::vector<Position> positions = positionsOf(500, 1, 5, 10);
    RouterTable pooled = pooledTable(positions, 5);
    const Decomposition ofOne = decomposition(pooled);
    pooled.pooled.reset();
    const Decomposition plain = decomposition(pooled);
    EXPECT_NEAR(ofOne.explainable, plain.explainable, 1e-12);
    EXPECT_NEAR(ofOne.token->information.shuffledBits, plain.token->information.shuffledBits, 1e-10);
    EXPECT_NEAR(ofOne.previous->information.shuffledBits, plain.previous->information.shuffledBits, 1e-4);
}

TEST(FaultB12, WhatWasNotCountedTogetherIsBlank)
{
    RouterTable table = pooledTable(positionsOf(200, 2, 4, 11), 4);
    PooledChoices older = *table.pooled;
    older.positions.clear();
    table.pooled = std::make_shared<const PooledChoices>(older);
    const Decomposition result = decomposition(table);
    EXPECT_TRUE(std::isnan(result.explainable));
    EXPECT_TRUE(std::isnan(result.token->share));
    EXPECT_TRUE(std::isnan(result.token->information.shuffledBits));
    EXPECT_GT(result.token->information.bits, 0);
    EXPECT_TRUE(std::isnan(result.previous->share));
    EXPECT_GT(result.previous->information.shuffledBits, 0);
    EXPECT_THAT(result.whyBlank, HasSubstr("count again"));
}

TEST(FaultB19, BlankContextsHaveAReason)
{
    const Counts counts = awkwardCounts();
    const std::array<std::size_t, 1> router{0};
    const auto plan = tablePlans(counts, router, Pooling::None).front();
    const auto reasonOf = [&](RowUnit unit) {
        const Decomposition parts = decomposition(routerTable(counts, plan, rowMap(counts, 0, unit, LetterCase::Kept)));
        EXPECT_FALSE(parts.previous);
        EXPECT_FALSE(parts.place);
        return parts.whyNoContext;
    };
    EXPECT_THAT(reasonOf(RowUnit::Words), HasSubstr("not for words"));
    EXPECT_THAT(reasonOf(RowUnit::Pieces), HasSubstr("--frequent-tokens"));
}

} // namespace
} // namespace headscope::core::testing
