// SPDX-License-Identifier: GPL-3.0-or-later
// A and B are names: exchanging them changes no number but signs.
#include "core/compare/comparison.h"
#include "core/compare/counts_comparison.h"
#include "core/stats/seeded_random.h"
#include "tests/core/compare/sample_routing.h"
#include "tests/core/stats/counts_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace headscope::core {
namespace {

using namespace samples;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void expectSame(double x, double y)
{
    if (!std::isnan(x) || !std::isnan(y)) {
        EXPECT_EQ(x, y);
    }
}

void expectExchanged(const RouterComparison& x, const RouterComparison& y)
{
    SCOPED_TRACE(x.a.toString() + " and " + x.b.toString());
    EXPECT_EQ(x.expertsA, y.expertsB);
    EXPECT_EQ(x.chosenA, y.chosenB);
    expectSame(x.agreement, y.agreement);
    expectSame(x.chance, y.chance);
    expectSame(x.bound, y.bound);
    expectSame(x.nullMean, y.nullMean);
    expectSame(x.null.low, y.null.low);
    expectSame(x.null.high, y.null.high);
    EXPECT_EQ(x.nullExceeded, y.nullExceeded);
    EXPECT_EQ(x.verdict, y.verdict);
    expectSame(x.interval.low, y.interval.low);
    expectSame(x.interval.high, y.interval.high);
    EXPECT_EQ(x.stretches, y.stretches);
    expectSame(x.loadDivergence, y.loadDivergence);
    expectSame(x.mutualInformation, y.mutualInformation);
    expectSame(x.gateCorrelation, y.gateCorrelation);
    expectSame(x.stability, y.stability);
    EXPECT_EQ(x.tooLittleText, y.tooLittleText);
    ASSERT_EQ(x.unitAgreement.size(), y.unitAgreement.size());
    for (std::size_t unit = 0; unit < x.unitAgreement.size(); ++unit)
        expectSame(static_cast<double>(x.unitAgreement[unit]), static_cast<double>(y.unitAgreement[unit]));
    for (std::size_t e = 0; e < x.expertOfB.size(); ++e) {
        if (x.expertOfB[e] < 0)
            continue;
        const auto other = static_cast<std::size_t>(x.expertOfB[e]);
        EXPECT_EQ(y.expertOfB[other], static_cast<int>(e));
        expectSame(x.gateCorrelations[e], y.gateCorrelations[other]);
    }
}

void expectExchanged(const Comparison& forth, const Comparison& back)
{
    ASSERT_EQ(forth.routers.size(), back.routers.size());
    std::map<std::pair<std::string, std::string>, const RouterComparison*> byNames;
    for (const RouterComparison& router : back.routers)
        byNames[{router.b.toString(), router.a.toString()}] = &router;
    for (const RouterComparison& router : forth.routers) {
        const auto found = byNames.find({router.a.toString(), router.b.toString()});
        ASSERT_NE(found, byNames.end()) << router.a.toString() << ' ' << router.b.toString();
        expectExchanged(router, *found->second);
    }
    EXPECT_EQ(forth.onlyA.size(), back.onlyB.size());
    EXPECT_EQ(forth.onlyB.size(), back.onlyA.size());
    expectSame(forth.agreement, back.agreement);
    EXPECT_EQ(forth.loss.bytes, back.loss.bytes);
    expectSame(forth.loss.bitsPerByteA, back.loss.bitsPerByteB);
    expectSame(forth.loss.difference.low, -back.loss.difference.high);
    expectSame(forth.loss.difference.high, -back.loss.difference.low);
    ASSERT_EQ(forth.units.size(), back.units.size());
    for (std::size_t unit = 0; unit < forth.units.size(); ++unit) {
        if (!std::isnan(forth.units[unit].agreement)) {
            EXPECT_NEAR(forth.units[unit].agreement, back.units[unit].agreement, 1e-15);
        }
        expectSame(forth.units[unit].lossA, back.units[unit].lossB);
    }
}

Trace withLosses(Trace trace, std::uint64_t seed)
{
    for (std::size_t token = 0; token < static_cast<std::size_t>(trace.tokens()); ++token)
        trace.loss.push_back(static_cast<float>(3 + normal(seed, token)));
    return trace;
}

/// A model of its own kind: layers, heads, experts, sites.
Trace randomModel(const TokenizedText& text, std::uint64_t seed)
{
    SeededRandom random(seed);
    const int layers = 1 + static_cast<int>(random.below(3));
    const int experts = 2 + static_cast<int>(random.below(4));
    const int chosen = 1 + static_cast<int>(random.below(2));
    const bool together = random.below(4) == 0; // one decision for query and output
    std::vector<SampleSite> sites;
    for (int layer = 0; layer < layers; ++layer)
        for (const char* name : {"v", "o"}) {
            const int heads = together ? 1 : 1 + static_cast<int>(random.below(3));
            SampleSite site{.address =
                                "layers." + std::to_string(layer) + ".self." + (together && *name == 'o' ? "qo" : name),
                            .experts = experts,
                            .chosen = std::min(chosen, experts),
                            .heads = heads,
                            .perHead = !together};
            site.logits = randomLogits(
                text, heads, experts, {.seed = seed + static_cast<std::uint64_t>(layer), .context = 0.8, .noiseSeed = seed});
            if (random.below(3) == 0) // few different gates: ties of the matching
                for (float& logit : site.logits)
                    logit = std::round(logit);
            sites.push_back(std::move(site));
        }
    return withLosses(sampleTrace(text, sites, sampleModel(layers)), seed);
}

TEST(FaultB14, ExchangingAAndBChangesNoNumberButSigns)
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        const auto text = letters(randomText(90 + 10 * seed, seed));
        const Trace a = randomModel(text, 1000 + seed);
        const Trace b = randomModel(text, 2000 + seed);
        for (const Matching matching : {Matching::Coselection, Matching::Identity}) {
            CompareSettings wanted;
            wanted.matching = matching;
            wanted.nullReplicates = 11; // odd: not as many of either side
            wanted.folds = 2 + static_cast<int>(seed % 3);
            wanted.seed = seed;
            expectExchanged(compareTraces(traces(a, b), wanted), compareTraces(traces(b, a), wanted));
        }
    }
}

TEST(FaultB14, WhereTokenizersDifferAndTheMatchingIsFitted)
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const auto tokensOf = [](std::size_t length, std::uint64_t of, std::size_t most) {
            SeededRandom random(of + most);
            const std::string text = randomText(length, of);
            std::vector<std::string> spellings;
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t size = std::min<std::size_t>(1 + random.below(most), text.size() - at);
                spellings.push_back(text.substr(at, size));
                at += size;
            }
            return pieces(spellings);
        };
        const Trace a = randomModel(tokensOf(200, seed, 2), 10 + seed);
        const Trace b = randomModel(tokensOf(200, seed, 3), 60 + seed);
        CompareSettings wanted = settings(Matching::Coselection);
        wanted.nullReplicates = 8;
        expectExchanged(compareTraces(traces(a, b), wanted), compareTraces(traces(b, a), wanted));
        const Trace fitA = randomModel(tokensOf(150, seed + 90, 2), 10 + seed);
        const Trace fitB = randomModel(tokensOf(150, seed + 90, 3), 60 + seed);
        CompareExtras forth, back;
        forth.fit = traces(fitA, fitB);
        back.fit = traces(fitB, fitA);
        expectExchanged(compareTraces(traces(a, b), wanted, forth), compareTraces(traces(b, a), wanted, back));
    }
}

TEST(FaultB14, FoldsThatMatchDifferentlyAreJudgedEachOnItsOwn)
{
    // Eight stretches of fifty units. A chooses 0 in three of four; B the same, with its experts exchanged in odd stretches.
    const auto text = letters(randomText(400, 3));
    SampleSite a{.address = "layers.0.self.o", .experts = 2, .chosen = 1, .heads = 1, .perHead = false};
    SampleSite b = a;
    for (std::size_t token = 0; token < 400; ++token) {
        const std::size_t stretch = (token * 30 + 29) / 400; // of thirty
        const int choice = token % 4 == 0 ? 1 : 0;
        const int other = stretch % 2 == 0 ? choice : 1 - choice;
        for (int e = 0; e < 2; ++e) {
            a.logits.push_back(e == choice ? 1.0F : 0.0F);
            b.logits.push_back(e == other ? 1.0F : 0.0F);
        }
    }
    CompareSettings wanted = settings(Matching::Coselection);
    wanted.nullReplicates = 0;
    const auto comparison =
        compareTraces(traces(sampleTrace(text, {a}, sampleModel(1)), sampleTrace(text, {b}, sampleModel(1))), wanted);
    const RouterComparison& router = comparison.routers.front();
    EXPECT_EQ(router.stability, 0);
    // Each half is judged by the matching of the other, which is the wrong one: loads 3/4, 1/4 against 1/4, 3/4 in both. By
    // the numbers of A taken over both halves they would be the same.
    const double expected = 1 + 0.25 * std::log2(0.25) + 0.75 * std::log2(0.75);
    EXPECT_NEAR(router.loadDivergence, expected, 0.02);
    EXPECT_LT(router.agreement, 0.05);
    EXPECT_NEAR(router.gateCorrelation, -1, 0.05);
}

TEST(FaultB14, CountsAsWell)
{
    using testing::Decision;
    const std::vector<std::string> spellings{"a", "b", "c", "d", "e"};
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        SeededRandom random(seed);
        const auto counted = [&](int experts, const std::string& fingerprint) {
            std::vector<Decision> decisions;
            for (int i = 0; i < 300; ++i) {
                const auto token = static_cast<std::uint32_t>(std::min(random.below(5), random.below(5)));
                const auto first =
                    static_cast<std::uint32_t>(random.below(2) == 0 ? token % static_cast<std::uint32_t>(experts)
                                                                    : random.below(static_cast<std::uint64_t>(experts)));
                decisions.push_back({token, {first}, static_cast<std::uint32_t>(random.below(8))});
            }
            Counts counts = testing::countsOf(spellings, decisions, experts);
            counts.basis.fingerprint = fingerprint;
            return counts;
        };
        const Counts a = counted(3, std::string(64, 'a'));
        const Counts b = counted(seed % 2 == 0 ? 3 : 5, std::string(64, 'b'));
        for (const std::int64_t minimum : {0, 70}) {
            CompareSettings wanted;
            wanted.minimumTokens = minimum;
            const auto forth = compareCounts(a, b, wanted);
            const auto back = compareCounts(b, a, wanted);
            ASSERT_EQ(forth.routers.size(), back.routers.size());
            for (std::size_t i = 0; i < forth.routers.size(); ++i) {
                const auto& x = forth.routers[i];
                const auto& y = back.routers[i];
                EXPECT_EQ(x.a, y.b);
                expectSame(x.expectedAgreement, y.expectedAgreement);
                expectSame(x.chance, y.chance);
                expectSame(x.loadDivergence, y.loadDivergence);
                expectSame(x.stability, y.stability);
                for (std::size_t e = 0; e < x.expertOfB.size(); ++e)
                    if (x.expertOfB[e] >= 0) {
                        EXPECT_EQ(y.expertOfB[static_cast<std::size_t>(x.expertOfB[e])], static_cast<int>(e));
                    }
            }
            expectSame(forth.expectedAgreement, back.expectedAgreement);
        }
    }
}

TEST(FaultB15, TheShareOfDrawsSaysWhatItDoesNotKnow)
{
    EXPECT_EQ(nullVerdict(0, 0), NullVerdict::None);
    EXPECT_EQ(nullVerdict(0, 200), NullVerdict::Above);
    EXPECT_EQ(nullVerdict(1, 200), NullVerdict::AtEdge);
    EXPECT_EQ(nullVerdict(5, 200), NullVerdict::AtEdge);
    EXPECT_EQ(nullVerdict(20, 200), NullVerdict::Inside);
    EXPECT_EQ(nullVerdict(200, 200), NullVerdict::Inside);
    EXPECT_EQ(nullVerdict(0, 20), NullVerdict::AtEdge); // 20 draws cannot tell 2.5 %
    EXPECT_EQ(nullVerdict(100, 10'000), NullVerdict::Above);
    EXPECT_EQ(toString(NullVerdict::AtEdge), "at the edge");
}

TEST(FaultB15, NoSeedTurnsAboveIntoInside)
{
    // Models that agree a little beyond their tokens: many are near the end of their null.
    int edge = 0, settled = 0;
    for (std::uint64_t pair = 1; pair <= 12; ++pair) {
        const auto text = letters(randomText(300, pair));
        const auto site = [&](std::uint64_t own, double shared) {
            SampleSite result{.address = "layers.0.self.o",
                              .experts = 4,
                              .chosen = 1,
                              .heads = 1,
                              .perHead = false,
                              .logits = randomLogits(text, 1, 4, {.seed = own, .context = 0.6, .noiseSeed = own})};
            for (std::size_t i = 0; i < result.logits.size(); ++i)
                result.logits[i] += static_cast<float>(shared * normal(pair, i));
            return result;
        };
        const double shared = 0.1 * static_cast<double>(pair);
        const auto both = traces(sampleTrace(text, {site(2 * pair, shared)}, sampleModel(1)),
                                 sampleTrace(text, {site(2 * pair + 1, shared)}, sampleModel(1)));
        bool above = false, inside = false;
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            CompareSettings wanted;
            wanted.matching = Matching::Coselection;
            wanted.seed = seed;
            const NullVerdict verdict = compareTraces(both, wanted).routers.front().verdict;
            above = above || verdict == NullVerdict::Above;
            inside = inside || verdict == NullVerdict::Inside;
            ++(verdict == NullVerdict::AtEdge ? edge : settled);
        }
        EXPECT_FALSE(above && inside) << pair;
    }
    EXPECT_GT(edge, 0);
    EXPECT_GT(settled, edge);
}

TEST(FaultB15, TheEdgeIsSaid)
{
    const auto text = letters(randomText(300, 1));
    const auto site = [&](std::uint64_t own) {
        return SampleSite{.address = "layers.0.self.o",
                          .experts = 4,
                          .chosen = 1,
                          .heads = 1,
                          .perHead = false,
                          .logits = randomLogits(text, 1, 4, {.seed = own, .context = 0.1})};
    };
    CompareSettings wanted = settings(Matching::Coselection);
    wanted.nullReplicates = 10; // too few to tell
    const auto alike = compareTraces(
        traces(sampleTrace(text, {site(1)}, sampleModel(1)), sampleTrace(text, {site(1)}, sampleModel(1))), wanted);
    EXPECT_EQ(alike.routers.front().verdict, NullVerdict::AtEdge);
    EXPECT_THAT(alike.notes, Contains(HasSubstr("1 of 1 pairs of routers are at the edge of their null")));
    wanted.nullReplicates = 200;
    const auto told = compareTraces(
        traces(sampleTrace(text, {site(1)}, sampleModel(1)), sampleTrace(text, {site(1)}, sampleModel(1))), wanted);
    EXPECT_EQ(told.routers.front().verdict, NullVerdict::Above);
    EXPECT_THAT(told.notes, Not(Contains(HasSubstr("at the edge"))));
}

TEST(FaultB18, TheMinimumActsOnTheRouters)
{
    using testing::Decision;
    std::vector<Decision> ofA, ofB;
    for (std::uint32_t document = 0; document < 4; ++document)
        for (int i = 0; i < 40; ++i) {
            ofA.push_back({0, {i < 30 ? 0U : 1U}, document});
            ofB.push_back({0, {i < 20 ? 0U : 1U}, document});
            if (i < 5) { // rare, and another kind of agreement
                ofA.push_back({1, {1}, document});
                ofB.push_back({1, {1}, document});
            }
        }
    Counts a = testing::countsOf({"a", "b"}, ofA, 2);
    Counts b = testing::countsOf({"a", "b"}, ofB, 2);
    b.basis.fingerprint = std::string(64, 'c');
    CompareSettings wanted;
    const auto all = compareCounts(a, b, wanted).routers.front();
    EXPECT_NEAR(all.expectedAgreement, (160 * 0.5 + 20 * 1.0) / 180, 1e-12);
    wanted.minimumTokens = 21;
    const auto frequent = compareCounts(a, b, wanted);
    EXPECT_NEAR(frequent.routers.front().expectedAgreement, 0.75 * 0.5 + 0.25 * 0.5, 1e-12);
    EXPECT_NEAR(frequent.routers.front().chance, 0.75 * 0.5 + 0.25 * 0.5, 1e-12); // the same: one token is left
    EXPECT_EQ(frequent.routers.front().expertOfB, all.expertOfB);
    EXPECT_THAT(frequent.notes, Contains(HasSubstr("tokens that occur 21 times or more")));
    wanted.minimumTokens = 20; // reached
    EXPECT_EQ(compareCounts(a, b, wanted).routers.front().expectedAgreement, all.expectedAgreement);
}

} // namespace
} // namespace headscope::core
