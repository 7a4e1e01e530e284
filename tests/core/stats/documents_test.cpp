// SPDX-License-Identifier: GPL-3.0-or-later
// Documents: the null of their composition, and the bootstrap over them.
#include "core/stats/pair_statistics.h"
#include "core/stats/seeded_random.h"
#include "tests/core/stats/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t documents = 40;

/// Two kinds of documents with words of their own (tokens 0–4 and 5–9) and, in both, tokens 10 and 11. In the first kind the
/// router likes expert 0 and in the second expert 1, whatever the token; only token 11 has a will of its own: always
/// expert 2.
std::vector<Decision> twoKinds(std::uint64_t seed)
{
    SeededRandom random(seed);
    std::vector<Decision> all;
    for (std::uint32_t document = 0; document < documents; ++document) {
        const std::uint32_t kind = document % 2;
        for (int i = 0; i < 500; ++i) {
            const auto place = static_cast<std::uint32_t>(random.below(7));
            const std::uint32_t token = place < 5 ? 5 * kind + place : place + 5;
            const std::uint32_t expert = random.below(10) < 8 ? kind : static_cast<std::uint32_t>(random.below(3));
            all.push_back({token, {token == 11 ? 2 : expert}, document});
        }
    }
    return all;
}

const PairStatistics& pairOf(const PairTable& table, std::uint32_t row, std::uint32_t expert)
{
    for (const PairStatistics& pair : table.pairs) {
        if (pair.row == row && pair.expert == expert)
            return pair;
    }
    throw std::out_of_range("no such pair");
}

TEST(Documents, TheNullExplainsWhatTheirCompositionDoes)
{
    const RouterTable table = tableOf(twoKinds(3), 12, 3, 16);
    const PairTable statistics = pairStatistics(table, {});
    for (std::uint32_t token = 0; token < 5; ++token) {
        const PairStatistics& pair = pairOf(statistics, token, 0);
        EXPECT_GT(pair.pmi, 0.7); // looks like a specialist …
        EXPECT_LT(pair.q, 1e-6);
        EXPECT_GT(pair.nullPmi, 0.6); // … and is none: the documents alone have it
        EXPECT_LT(pair.pmi - pair.nullPmi, 0.25);
    }
    const PairStatistics& real = pairOf(statistics, 11, 2);
    EXPECT_GT(real.pmi, 1.5);
    EXPECT_LT(std::abs(real.nullPmi), 0.1); // and this one the documents do not explain
    EXPECT_LT(real.pmiLow, real.pmi);
    EXPECT_GT(real.pmiHigh, real.pmi);
}

TEST(Documents, WithoutTokenEffectPmiEqualsItsNull)
{
    std::vector<Decision> all = twoKinds(5);
    for (Decision& decision : all) {
        if (decision.token == 11)
            decision.experts = {decision.document % 2};
    }
    const RouterTable table = tableOf(all, 11 + 1, 3, 16);
    const PairTable statistics = pairStatistics(table, {});
    for (const std::uint32_t token : {0U, 3U}) {
        const PairStatistics& pair = pairOf(statistics, token, 0);
        EXPECT_GT(pair.pmi, 0.7);
        EXPECT_NEAR(pair.nullPmi, pair.pmi, 0.08);
    }
}

TEST(Documents, TheNullByHand)
{
    // 20 documents of one position, then one of two: E0(t0, e0) = 10·1·1/1 + 1·1/2, N = 22.
    std::vector<Decision> all;
    for (std::uint32_t document = 0; document < 20; ++document)
        all.push_back({document < 10 ? 0U : 1U, {document < 10 ? 0U : 1U}, document});
    all.push_back({0, {1}, 20});
    all.push_back({1, {0}, 20});
    const PairTable statistics = pairStatistics(tableOf(all, 2, 2), {.minimum = 0});
    EXPECT_NEAR(pairOf(statistics, 0, 0).nullPmi, std::log2(10.5 * 22 / (11 * 11)), 1e-12);
}

TEST(Intervals, ByHand)
{
    // Two groups of ten documents: token 0 goes to expert 0 in 30 of 40 positions of one and 20 of 40 of the other, token 1
    // in 20 of 60 of both. PMI without a group is that of the other.
    std::vector<Decision> all;
    const auto add = [&all](std::uint32_t token, std::uint32_t expert, std::uint32_t group, int times) {
        for (int i = 0; i < times; ++i)
            all.push_back({token, {expert}, group + 2 * static_cast<std::uint32_t>(i % 10)});
    };
    for (const std::uint32_t group : {0U, 1U}) {
        add(0, 0, group, group == 0 ? 30 : 20);
        add(0, 1, group, group == 0 ? 10 : 20);
        add(1, 0, group, 20);
        add(1, 1, group, 40);
    }
    const PairTable statistics = pairStatistics(tableOf(all, 2, 2, 2), {});
    const PairStatistics& pair = pairOf(statistics, 0, 0);
    const double pmi = std::log2(50.0 * 200 / (80 * 90));
    const double first = std::log2(30.0 * 100 / (40 * 50)) - pmi;
    const double second = std::log2(20.0 * 100 / (40 * 40)) - pmi;
    const double reach = 12.7062047364 * std::sqrt((first * first + second * second) / 2); // Student's t of one degree
    EXPECT_NEAR(pair.pmi, pmi, 1e-12);
    EXPECT_NEAR(pair.pmiLow, pmi - reach, 1e-8);
    EXPECT_NEAR(pair.pmiHigh, pmi + reach, 1e-8);
}

TEST(Intervals, CoverTheTruthAboutAsOftenAsTheySay)
{
    // Token 0 goes to expert 0 with probability 0.7 and the others with 0.4, documents alike: lift = 0.7 / p(e), p(e) = 0.4
    // + 0.3/4.
    const double truth = std::log2(0.7 / (0.4 + 0.3 / 4));
    int covered = 0;
    constexpr int rounds = 200;
    for (int round = 0; round < rounds; ++round) {
        SeededRandom random(static_cast<std::uint64_t>(1000 + round));
        std::vector<Decision> all;
        for (std::uint32_t document = 0; document < 64; ++document) {
            for (int i = 0; i < 40; ++i) {
                const auto token = static_cast<std::uint32_t>(random.below(4));
                const bool first = random.below(100) < (token == 0 ? 70U : 40U);
                all.push_back({token, {first ? 0U : 1U}, document});
            }
        }
        const PairTable statistics = pairStatistics(tableOf(all, 4, 2, 32), {.bootstrap = {.replicates = 200}});
        const PairStatistics& pair = pairOf(statistics, 0, 0);
        covered += pair.pmiLow <= truth && truth <= pair.pmiHigh ? 1 : 0;
    }
    EXPECT_GE(covered, rounds * 88 / 100);
    EXPECT_LE(covered, rounds * 99 / 100);
}

TEST(Intervals, ATokenOfOneGroupHasNone)
{
    std::vector<Decision> all = twoKinds(3);
    for (int i = 0; i < 30; ++i)
        all.push_back({12, {0}, 7});
    const RouterTable table = tableOf(all, 13, 3, 16);
    const PairTable statistics = pairStatistics(table, {});
    const PairStatistics& pair = pairOf(statistics, 12, 0);
    EXPECT_TRUE(std::isnan(pair.pmiLow));
    EXPECT_THAT(whyBlank(table, statistics, pair, PairColumn::PmiLow), HasSubstr("single group"));
    EXPECT_THAT(pairStatistics(table, {.bootstrap = {.replicates = 0}}).blank.interval, HasSubstr("asked for"));
}

} // namespace
} // namespace headscope::core::testing
