// SPDX-License-Identifier: GPL-3.0-or-later
// Two counts files: which experts correspond, and what tokens have to do with them.
#include "core/compare/counts_comparison.h"

#include "core/error.h"
#include "tests/core/stats/counts_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headscope::core {
namespace {

using ::testing::Contains;
using testing::countsOf;
using testing::Decision;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> twoPieces{"\u2581the", "ing"};

/// So many positions of a token with these experts, in each of two documents of different halves.
void add(std::vector<Decision>& decisions, std::uint32_t token, const std::vector<std::uint32_t>& experts, int times)
{
    for (int i = 0; i < times; ++i)
        for (const std::uint32_t document : {0U, 1U})
            decisions.push_back({token, experts, document});
}

Counts ofOther(Counts counts)
{
    counts.basis.fingerprint = std::string(64, 'c');
    return counts;
}

/// P(e|t) of A: t0 3/4 1/4, t1 0 1; of B: t0 0 1, t1 1/2 1/2.
Counts countsA()
{
    std::vector<Decision> decisions;
    add(decisions, 0, {0}, 3);
    add(decisions, 0, {1}, 1);
    add(decisions, 1, {1}, 4);
    return countsOf(twoPieces, decisions, 2);
}
Counts countsB()
{
    std::vector<Decision> decisions;
    add(decisions, 0, {1}, 4);
    add(decisions, 1, {0}, 2);
    add(decisions, 1, {1}, 2);
    return ofOther(countsOf(twoPieces, decisions, 2));
}

double jensenShannonOf(double p, double q) // of (p, 1 - p) and (q, 1 - q)
{
    const double m = (p + q) / 2;
    return (p * std::log2(p / m) + (1 - p) * std::log2((1 - p) / (1 - m)) + q * std::log2(q / m) +
            (1 - q) * std::log2((1 - q) / (1 - m))) /
           2;
}

TEST(CompareCounts, SmallTablesByHand)
{
    const auto comparison = compareCounts(countsA(), countsB(), {});
    EXPECT_EQ(comparison.matching, Matching::Coselection);
    EXPECT_TRUE(comparison.crossFitted);
    EXPECT_TRUE(comparison.sameCorpus);
    ASSERT_EQ(comparison.routers.size(), 2U); // v and o
    const auto& router = comparison.routers.front();
    EXPECT_EQ(router.a.toString(), "layers.0.self.v.h0");
    EXPECT_EQ(router.b.toString(), "layers.0.self.v.h0");
    EXPECT_THAT(router.expertOfB, ElementsAre(1, 0)); // C = 0 3/8 | 1/4 3/8
    EXPECT_EQ(router.stability, 1);
    EXPECT_NEAR(router.expectedAgreement, 0.625, 1e-12);
    EXPECT_NEAR(router.chance, 3.0 / 8 * 3 / 4 + 5.0 / 8 / 4, 1e-12);
    EXPECT_NEAR(router.loadDivergence, jensenShannonOf(3.0 / 8, 3.0 / 4), 1e-12);
    EXPECT_NEAR(comparison.expectedAgreement, 0.625, 1e-12);
    EXPECT_THAT(router.notes, Contains(HasSubstr("too little text")));

    CompareSettings identity;
    identity.matching = Matching::Identity;
    const auto unmatched = compareCounts(countsA(), countsB(), identity);
    EXPECT_THAT(unmatched.routers.front().expertOfB, ElementsAre(0, 1));
    EXPECT_NEAR(unmatched.routers.front().expectedAgreement, 0.375, 1e-12);
    EXPECT_TRUE(std::isnan(unmatched.routers.front().stability));
}

TEST(CompareCounts, TheSameCheckpointAgreesWithItself)
{
    std::vector<Decision> decisions;
    add(decisions, 0, {0, 3}, 40);
    add(decisions, 1, {2, 1}, 70);
    const auto counts = countsOf(twoPieces, decisions, 4);
    for (const auto matching : {std::optional<Matching>(), std::optional(Matching::Coselection)}) {
        CompareSettings settings;
        settings.matching = matching;
        const auto comparison = compareCounts(counts, counts, settings);
        EXPECT_EQ(comparison.matching, matching.value_or(Matching::Identity));
        EXPECT_EQ(comparison.crossFitted, matching.has_value());
        for (const auto& router : comparison.routers) {
            EXPECT_THAT(router.expertOfB, ElementsAre(0, 1, 2, 3));
            EXPECT_NEAR(router.expectedAgreement, 1, 1e-12);
            EXPECT_NEAR(router.loadDivergence, 0, 1e-12);
            EXPECT_LT(router.chance, 0.6);
            EXPECT_THAT(router.notes, IsEmpty());
        }
        EXPECT_THAT(comparison.notes, IsEmpty());
    }
}

TEST(CompareCounts, FindsRenumberedExpertsAndLeavesOthersOut)
{
    // B has five experts: A's 0 1 2 are B's 4 0 3.
    const std::vector<std::string> pieces{"a", "b", "c"};
    const std::vector<std::uint32_t> to{4, 0, 3};
    std::vector<Decision> ofA, ofB;
    for (std::uint32_t token = 0; token < 3; ++token) {
        add(ofA, token, {token}, 30);
        add(ofA, token, {(token + 1) % 3}, 5);
        add(ofB, token, {to[token]}, 30);
        add(ofB, token, {to[(token + 1) % 3]}, 4);
        add(ofB, token, {1}, 1);
    }
    const auto a = countsOf(pieces, ofA, 3);
    const auto b = ofOther(countsOf(pieces, ofB, 5));
    const auto forth = compareCounts(a, b, {});
    EXPECT_THAT(forth.routers.front().expertOfB, ElementsAre(4, 0, 3));
    const auto back = compareCounts(b, a, {});
    EXPECT_THAT(back.routers.front().expertOfB, ElementsAre(1, -1, -1, 2, 0));
    EXPECT_NEAR(forth.routers.front().expectedAgreement, back.routers.front().expectedAgreement, 1e-12);
    EXPECT_NEAR(forth.routers.front().expectedAgreement, (30.0 * 30 + 5 * 4) / 35 / 35, 1e-12);
    EXPECT_NEAR(forth.routers.front().loadDivergence, back.routers.front().loadDivergence, 1e-12);
}

TEST(CompareCounts, HalvesAreJudgedByTheMatchingOfTheOther)
{
    // In odd documents B's experts have changed places: what one half teaches is wrong in the other.
    std::vector<Decision> ofA, ofB;
    for (std::uint32_t document = 0; document < 4; ++document)
        for (std::uint32_t token = 0; token < 2; ++token)
            for (int i = 0; i < 50; ++i) {
                ofA.push_back({token, {token}, document});
                ofB.push_back({token, {(token + document) % 2}, document});
            }
    const auto comparison = compareCounts(countsOf(twoPieces, ofA, 2), ofOther(countsOf(twoPieces, ofB, 2)), {});
    EXPECT_EQ(comparison.routers.front().expectedAgreement, 0);
    EXPECT_EQ(comparison.routers.front().stability, 0);
    EXPECT_NEAR(comparison.routers.front().chance, 0.5, 1e-12);
}

TEST(CompareCounts, SaysWhatCannotBeDone)
{
    auto other = countsB();
    other.basis.tokenizerHash = std::string(64, 'd');
    EXPECT_THROW(compareCounts(countsA(), other, {}), Error);
    other = countsB();
    other.streams.front().corpus.hash = {5, 6, 7, 8};
    EXPECT_THAT(compareCounts(countsA(), other, {}).notes, ElementsAre(HasSubstr("different corpora")));
    EXPECT_FALSE(compareCounts(countsA(), other, {}).sameCorpus);
    CompareSettings weights;
    weights.matching = Matching::Weights;
    EXPECT_THROW(compareCounts(countsA(), countsB(), weights), Error);
    // One document: nothing to divide.
    std::vector<Decision> decisions;
    for (std::uint32_t token = 0; token < 2; ++token)
        decisions.push_back({token, {token}, 0});
    const auto one = countsOf(twoPieces, decisions, 2);
    const auto comparison = compareCounts(one, ofOther(one), {});
    EXPECT_FALSE(comparison.crossFitted);
    EXPECT_THAT(comparison.notes, ElementsAre(HasSubstr("two halves")));
    EXPECT_EQ(comparison.routers.front().expectedAgreement, 1);
    EXPECT_TRUE(std::isnan(comparison.routers.front().stability));
    // A router by hand, and one that is left over.
    CompareSettings byHand;
    byHand.pairs = {{*RouterAddress::parse("layers.0.self.v"), *RouterAddress::parse("layers.0.self.o.h0")}};
    const auto paired = compareCounts(countsA(), countsB(), byHand);
    ASSERT_EQ(paired.routers.size(), 1U);
    EXPECT_EQ(paired.routers.front().b.toString(), "layers.0.self.o.h0");
    ASSERT_EQ(paired.onlyA.size(), 1U);
    EXPECT_EQ(paired.onlyA.front().address.toString(), "layers.0.self.o.h0");
    EXPECT_THAT(paired.onlyA.front().why, HasSubstr("was paired with another router"));
    byHand.pairs = {{*RouterAddress::parse("layers.7.self.v"), *RouterAddress::parse("layers.0.self.o.h0")}};
    EXPECT_THROW(compareCounts(countsA(), countsB(), byHand), Error);
}

TEST(TokenDifferences, PmiOfMatchedExperts)
{
    const auto a = countsA();
    const auto b = countsB();
    const auto comparison = compareCounts(a, b, {});
    PairSettings settings;
    settings.minimum = 8;
    const auto rows = tokenDifferences(a, b, comparison.routers.front(), settings);
    // A's expert 0 is B's 1. A: n(t0,0) = 6 of 16, n(0) = 6; B: n(t0,1) = 8, n(t1,1) = 4, n(1) = 12.
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].piece, "\u2581the");
    EXPECT_EQ(rows[0].id, 100);
    EXPECT_EQ(rows[0].expertA, 0);
    EXPECT_EQ(rows[0].expertB, 1);
    EXPECT_EQ(rows[0].tokenA, 8);
    EXPECT_EQ(rows[0].countA, 6);
    EXPECT_EQ(rows[0].countB, 8);
    EXPECT_NEAR(rows[0].pmiA, 1, 1e-12);
    EXPECT_NEAR(rows[0].pmiB, std::log2(4.0 / 3), 1e-12);
    EXPECT_NEAR(rows[0].difference, std::log2(4.0 / 3) - 1, 1e-12);
    EXPECT_EQ(rows[1].piece, "ing"); // A never chose expert 0 for it
    EXPECT_EQ(rows[1].countA, 0);
    EXPECT_EQ(rows[1].countB, 4);
    EXPECT_TRUE(std::isnan(rows[1].pmiA));
    EXPECT_NEAR(rows[1].pmiB, std::log2(2.0 / 3), 1e-12);
    EXPECT_TRUE(std::isnan(rows[1].difference));
    EXPECT_EQ(rows[2].expertA, 1); // A: n(t1,1) = 8, n(t0,1) = 2, n(1) = 10; B: n(t1,0) = 4
    EXPECT_EQ(rows[2].piece, "ing");
    EXPECT_NEAR(rows[2].pmiA, std::log2(8.0 * 16 / 8 / 10), 1e-12);
    EXPECT_NEAR(rows[2].pmiB, 1, 1e-12);
    EXPECT_EQ(rows[3].piece, "\u2581the");
    EXPECT_EQ(rows[3].countB, 0);
    settings.minimum = 9;
    EXPECT_THAT(tokenDifferences(a, b, comparison.routers.front(), settings), IsEmpty());
}

} // namespace
} // namespace headscope::core
