// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a comparison by hand, its limits and its refusals.
#include "core/compare/comparison.h"

#include "core/compare/unit_decisions.h"
#include "tests/core/compare/sample_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <stop_token>

namespace headscope::core {
namespace {

using namespace samples;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CompareTraces, SideBySideIsTheSameTurnedRound)
{
    // A with one head, B with three: B's leftovers are listed, and the other way round the numbers are the same.
    const auto text = letters(randomText(400, 5));
    const SampleSite one{.address = "layers.0.self.v",
                         .experts = 4,
                         .chosen = 1,
                         .heads = 1,
                         .logits = randomLogits(text, 1, 4, {.seed = 5})};
    const SampleSite three{.address = "layers.0.self.v",
                           .experts = 6,
                           .chosen = 2,
                           .heads = 3,
                           .logits = randomLogits(text, 3, 6, {.seed = 6})};
    const Trace a = sampleTrace(text, {one}, sampleModel(1));
    const Trace b = sampleTrace(text, {three}, sampleModel(1));
    CompareSettings wanted = settings(Matching::Coselection);
    wanted.nullReplicates = 0;
    const Comparison forth = compareTraces(traces(a, b), wanted);
    const Comparison back = compareTraces(traces(b, a), wanted);
    ASSERT_EQ(forth.routers.size(), 1U);
    ASSERT_EQ(back.routers.size(), 1U);
    const RouterComparison& x = forth.routers.front();
    const RouterComparison& y = back.routers.front();
    EXPECT_EQ(x.a, y.b);
    EXPECT_EQ(x.b, y.a);
    EXPECT_EQ(x.agreement, y.agreement);
    EXPECT_EQ(x.chance, y.chance);
    EXPECT_EQ(x.bound, y.bound);
    EXPECT_LT(x.bound, 1);
    EXPECT_GE(x.bound, x.agreement);
    EXPECT_NEAR(x.loadDivergence, y.loadDivergence, 1e-12);
    EXPECT_NEAR(x.gateCorrelation, y.gateCorrelation, 1e-12);
    EXPECT_EQ(x.unitAgreement, y.unitAgreement);
    ASSERT_EQ(x.expertOfB.size(), 4U);
    ASSERT_EQ(y.expertOfB.size(), 6U);
    for (std::size_t e = 0; e < 4; ++e)
        EXPECT_EQ(y.expertOfB[static_cast<std::size_t>(x.expertOfB[e])], static_cast<int>(e));
    EXPECT_EQ(std::count(y.expertOfB.begin(), y.expertOfB.end(), -1), 2);
    ASSERT_EQ(forth.onlyB.size(), 2U);
    EXPECT_THAT(forth.onlyB.front().why, HasSubstr("has fewer heads"));
    EXPECT_EQ(back.onlyA.size(), 2U);
}

/// Whether the router chose this expert for the token.
bool chose(const Trace& trace, std::size_t token, int expert)
{
    const SiteRouting& site = *trace.sites.front();
    const auto first = site.experts.begin() + static_cast<std::ptrdiff_t>(site.slot(static_cast<std::int64_t>(token), 0, 0));
    return std::find(first, first + site.router.chosen, expert) != first + site.router.chosen;
}

/// Positions at which A chose e and B chose π(e), over all e.
int shared(const ComparedTraces& both, std::size_t token, const std::vector<int>& opposite)
{
    int count = 0;
    for (std::size_t e = 0; e < opposite.size(); ++e)
        count += chose(*both.a, token, static_cast<int>(e)) && chose(*both.b, token, opposite[e]);
    return count;
}

/// Fitted on one text and judged on another, against trying all matchings of three experts to four.
TEST(CompareTraces, TheMatchingIsTheBestOnTheTextItIsFittedOn)
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto both = [seed](std::size_t length, std::uint64_t textSeed) {
            const auto text = letters(randomText(length, textSeed));
            const SampleSite a{.address = "layers.0.self.o", .experts = 3, .chosen = 1, .heads = 1, .perHead = false,
                               .logits = randomLogits(text, 1, 3, {.seed = seed, .noiseSeed = textSeed})};
            const SampleSite b{.address = "layers.0.self.o", .experts = 4, .chosen = 2, .heads = 1, .perHead = false,
                               .logits = randomLogits(text, 1, 4, {.seed = seed + 1000, .noiseSeed = textSeed + 1})};
            return traces(sampleTrace(text, {a}, sampleModel(1)), sampleTrace(text, {b}, sampleModel(1)));
        };
        const auto judged = both(200, seed);
        CompareExtras extras;
        extras.fit = both(301, seed + 50);
        auto wanted = settings(Matching::Coselection);
        wanted.nullReplicates = 0;
        const auto comparison = compareTraces(judged, wanted, extras);
        const RouterComparison& router = comparison.routers.front();
        const auto sum = [](const ComparedTraces& of, const std::vector<int>& opposite) {
            int result = 0;
            for (std::size_t token = 0; token < static_cast<std::size_t>(of.a->tokens()); ++token)
                result += shared(of, token, opposite);
            return result;
        };
        std::vector<int> order{0, 1, 2, 3};
        int best = 0;
        do
            best = std::max(best, sum(*extras.fit, {order[0], order[1], order[2]}));
        while (std::next_permutation(order.begin(), order.end()));
        EXPECT_EQ(sum(*extras.fit, router.expertOfB), best);
        EXPECT_NEAR(router.agreement, sum(judged, router.expertOfB) / 200.0, 1e-6);
        for (std::size_t token = 0; token < 200; ++token)
            EXPECT_EQ(router.unitAgreement[token], static_cast<float>(shared(judged, token, router.expertOfB)));
    }
}

TEST(CompareTraces, HeadsOfABlockAreMatchedTogether)
{
    // B's heads of o are exchanged, and its v has nothing to do with A's: v's heads follow.
    const auto text = letters(randomText(400, 21));
    const auto site = [&text](const char* address, std::uint64_t seed) {
        return SampleSite{.address = address,
                          .experts = 4,
                          .chosen = 1,
                          .heads = 2,
                          .logits = randomLogits(text, 2, 4, {.seed = seed, .noiseSeed = seed})};
    };
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        auto exchanged = site("layers.0.self.o", 1);
        for (std::size_t token = 0; token < text.tokens.size(); ++token)
            std::rotate(exchanged.logits.begin() + static_cast<std::ptrdiff_t>(8 * token),
                        exchanged.logits.begin() + static_cast<std::ptrdiff_t>(8 * token + 4),
                        exchanged.logits.begin() + static_cast<std::ptrdiff_t>(8 * token + 8));
        auto wanted = settings(Matching::Coselection);
        wanted.nullReplicates = 0;
        const auto comparison = compareTraces(
            traces(sampleTrace(text, {site("layers.0.self.v", 100 + seed), site("layers.0.self.o", 1)}, sampleModel(1)),
                   sampleTrace(text, {site("layers.0.self.v", 200 + seed), exchanged}, sampleModel(1))),
            wanted);
        ASSERT_EQ(comparison.routers.size(), 4U);
        for (const RouterComparison& router : comparison.routers)
            EXPECT_EQ(*router.a.head, 1 - *router.b.head) << router.a.toString();
    }
}

TEST(CompareTraces, SmallNumbersByHand)
{
    // Four tokens, three experts, one chosen: A 0 0 1 2, B 0 1 1 0.
    const auto text = letters("abcd");
    const auto site = [](std::initializer_list<int> choices) {
        SampleSite result{.address = "layers.0.ffn.mlp", .experts = 3, .chosen = 1, .heads = 1, .perHead = false};
        for (const int choice : choices)
            for (int e = 0; e < 3; ++e)
                result.logits.push_back(e == choice ? 1.0F : 0.0F);
        return result;
    };
    const Comparison comparison = compareTraces(traces(sampleTrace(text, {site({0, 0, 1, 2})}, sampleModel(1)),
                                                       sampleTrace(text, {site({0, 1, 1, 0})}, sampleModel(1))),
                                                settings(Matching::Identity));
    const RouterComparison& router = comparison.routers.front();
    EXPECT_THAT(router.unitAgreement, testing::ElementsAre(1, 0, 1, 0));
    EXPECT_EQ(router.agreement, 0.5);
    EXPECT_EQ(router.chance, 0.5 * 0.5 + 0.25 * 0.5); // i_A = 1/2 1/4 1/4, i_B = 1/2 1/2 0
    EXPECT_EQ(router.bound, 1);
    // m = 1/2 3/8 1/8: D(A‖m) = 1/4 log2(2/3) + 1/4 log2 2, D(B‖m) = 1/2 log2(4/3)
    EXPECT_NEAR(router.loadDivergence, (0.25 * std::log2(2.0 / 3) + 0.25 + 0.5 * std::log2(4.0 / 3)) / 2, 1e-12);
    EXPECT_TRUE(std::isnan(router.interval.low));
    EXPECT_FALSE(router.tooLittleText); // nothing was fitted
    // Gates of expert 0: A s s 0 0, B s 0 0 s: rank correlation 0. Of expert 1: A third, B second and third. Expert 2 has
    // none in B.
    EXPECT_NEAR(router.gateCorrelations[0], 0, 1e-12);
    EXPECT_NEAR(router.gateCorrelations[1], 1 / std::sqrt(3.0), 1e-12);
    EXPECT_TRUE(std::isnan(router.gateCorrelations[2]));
    EXPECT_NEAR(router.gateCorrelation, 1 / std::sqrt(3.0) / 2, 1e-12);
}

TEST(CompareTraces, UnmatchedExpertsBoundTheAgreement)
{
    // A has two experts and B four: whatever is matched, B's other two cannot agree.
    const auto text = letters(randomText(400, 9));
    SampleSite few{.address = "layers.0.self.o", .experts = 2, .chosen = 1, .heads = 1, .perHead = false};
    SampleSite many{.address = "layers.0.self.o", .experts = 4, .chosen = 1, .heads = 1, .perHead = false};
    for (std::size_t token = 0; token < text.tokens.size(); ++token) {
        const auto choice = static_cast<int>(token % 4);
        for (int e = 0; e < 2; ++e)
            few.logits.push_back(e == choice / 2 ? 1 : 0);
        for (int e = 0; e < 4; ++e)
            many.logits.push_back(e == choice ? 1 : 0);
    }
    const auto comparison =
        compareTraces(traces(sampleTrace(text, {few}, sampleModel(1)), sampleTrace(text, {many}, sampleModel(1))),
                      settings(Matching::Coselection));
    const RouterComparison& router = comparison.routers.front();
    EXPECT_EQ(router.bound, 0.5);
    EXPECT_EQ(router.agreement, 0.5);
    EXPECT_NEAR(router.mutualInformation, 1, 0.02);
    EXPECT_THAT(router.notes, testing::Contains(HasSubstr("2 experts of B have no counterpart")));
}

TEST(CompareTraces, WhereTokenizersDiffer)
{
    // "abcd" by letters against "ab", "cd": experts of A 0 1 | 1 1, of B 0 | 1.
    const auto site = [](std::initializer_list<int> choices) {
        SampleSite result{.address = "layers.0.self.o", .experts = 2, .chosen = 1, .heads = 1, .perHead = false};
        for (const int choice : choices)
            for (int e = 0; e < 2; ++e)
                result.logits.push_back(e == choice ? 1.0F : 0.0F);
        return result;
    };
    Trace a = sampleTrace(letters("abcd"), {site({0, 1, 1, 1})}, sampleModel(1));
    Trace b = sampleTrace(pieces({"ab", "cd"}), {site({0, 1})}, sampleModel(1));
    a.loss = {std::numeric_limits<float>::quiet_NaN(), 1, 2, 3};
    b.loss = {std::numeric_limits<float>::quiet_NaN(), 4};
    const Comparison comparison = compareTraces(traces(a, b), settings(Matching::Identity));
    EXPECT_FALSE(comparison.alignment.sameTokens);
    ASSERT_EQ(comparison.units.size(), 2U);
    EXPECT_THAT(comparison.routers.front().unitAgreement, testing::ElementsAre(0.5F, 1.0F));
    EXPECT_TRUE(std::isnan(comparison.units[0].lossA));
    EXPECT_EQ(comparison.units[1].lossA, 5);
    EXPECT_EQ(comparison.units[1].lossB, 4);
    EXPECT_EQ(comparison.units[1].contextA, 2);
    EXPECT_EQ(comparison.units[1].contextB, 1);
    EXPECT_EQ(comparison.loss.bytes, 2);
    EXPECT_NEAR(comparison.loss.bitsPerByteA, 5 / std::log(2.0) / 2, 1e-12);
    EXPECT_THAT(comparison.notes, testing::Contains(HasSubstr("4 tokens of A and 2 of B")));
}

TEST(CompareTraces, TellsWhenThereIsTooLittleText)
{
    const auto text = letters(randomText(100, 1)); // 100·2 < 50·5
    const auto trace = sampleTrace(text, switchHead(text, 5, 2, {}), sampleModel(2));
    const Comparison comparison = compareTraces(traces(trace, trace), settings(Matching::Coselection));
    for (const RouterComparison& router : comparison.routers) {
        EXPECT_TRUE(router.tooLittleText);
        EXPECT_THAT(router.notes, testing::Contains(HasSubstr("too little text")));
    }
    EXPECT_THAT(comparison.notes, testing::Contains(HasSubstr("8 of 8 pairs")));
    // Texts as short as can be are no trouble.
    for (const std::size_t length : {0, 1, 2, 3}) {
        const auto tiny = letters(randomText(length, 1));
        const auto short_ = sampleTrace(tiny, switchHead(tiny, 5, 2, {}), sampleModel(2));
        const Comparison compared = compareTraces(traces(short_, short_), settings(Matching::Coselection));
        EXPECT_EQ(compared.routers.size(), 8U);
        EXPECT_EQ(compared.units.size(), length);
        EXPECT_EQ(std::isnan(compared.agreement), length == 0);
    }
}

TEST(CompareTraces, TheSameSeedGivesTheSameNumbers)
{
    const auto text = letters(randomText(300, 1));
    const auto a = sampleTrace(text, switchHead(text, 5, 2, {.seed = 1}), sampleModel(2));
    const auto b = sampleTrace(text, switchHead(text, 5, 2, {.seed = 2}), sampleModel(2));
    auto wanted = settings(Matching::Coselection);
    const auto first = compareTraces(traces(a, b), wanted);
    const auto second = compareTraces(traces(a, b), wanted);
    wanted.seed = 2;
    const auto other = compareTraces(traces(a, b), wanted);
    for (std::size_t i = 0; i < first.routers.size(); ++i) {
        EXPECT_EQ(first.routers[i].nullMean, second.routers[i].nullMean);
        EXPECT_EQ(first.routers[i].interval.low, second.routers[i].interval.low);
        EXPECT_EQ(first.routers[i].mutualInformation, second.routers[i].mutualInformation);
        EXPECT_EQ(first.routers[i].agreement, other.routers[i].agreement);
        EXPECT_NE(first.routers[i].nullMean, other.routers[i].nullMean);
        EXPECT_LE(first.routers[i].interval.low, first.routers[i].agreement);
        EXPECT_GE(first.routers[i].interval.high, first.routers[i].agreement);
    }
}

TEST(CompareTraces, WeightsNeedRowsOfOneWidth)
{
    const auto text = letters(randomText(50, 1));
    const auto trace = sampleTrace(text, switchHead(text, 5, 2, {}), sampleModel(2));
    EXPECT_THROW(compareTraces(traces(trace, trace), settings(Matching::Weights)), Error);
    Rows rows;
    CompareExtras extras;
    extras.rowsA = rows.of(1);
    extras.rowsB = rows.of(1, {}, 5, 9);
    try {
        compareTraces(traces(trace, trace), settings(Matching::Weights), extras);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("reads 8 numbers"));
    }
}

TEST(CompareTraces, IsCancelled)
{
    const auto text = letters(randomText(50, 1));
    const auto trace = sampleTrace(text, switchHead(text, 5, 2, {}), sampleModel(2));
    std::stop_source stop;
    int reports = 0;
    const Progress progress{[&](double, std::string_view) {
                                if (++reports == 3)
                                    stop.request_stop();
                            },
                            stop.get_token()};
    EXPECT_THROW(compareTraces(traces(trace, trace), settings(Matching::Coselection), {}, progress), Cancelled);
    EXPECT_EQ(reports, 3);
}

TEST(CompareTraces, DivergencesBelongToTheirUnits)
{
    const auto text = pieces({"[s]", "a", "b"});
    SampleSite site{.address = "layers.0.self.o", .experts = 2, .chosen = 1, .heads = 1, .perHead = false};
    site.logits.assign(6, 0);
    const auto trace = sampleTrace(text, {site}, sampleModel(1));
    CompareExtras extras;
    extras.divergence = {0.1F, 0.2F, 0.3F};
    const auto comparison = compareTraces(traces(trace, trace), settings(Matching::Identity), extras);
    ASSERT_EQ(comparison.units.size(), 2U);
    EXPECT_FLOAT_EQ(static_cast<float>(comparison.units[0].divergence), 0.2F);
    EXPECT_FLOAT_EQ(static_cast<float>(comparison.units[1].divergence), 0.3F);
    extras.divergence.pop_back();
    EXPECT_THROW(compareTraces(traces(trace, trace), settings(Matching::Identity), extras), Error);
}

TEST(TypeShuffle, GivesEveryTypeTheDecisionsOfOne)
{
    const std::vector<TokenId> ids{5, 7, 5, 9, 9, 5, 1};
    const std::vector<std::size_t> used{0, 1, 2, 3, 4, 5};
    const TypeShuffle shuffle(ids, used);
    SeededRandom random(1);
    bool moved = false;
    for (int round = 0; round < 50; ++round) {
        const auto source = shuffle.draw(random);
        ASSERT_EQ(source.size(), ids.size());
        EXPECT_EQ(source[6], 6U);
        EXPECT_EQ(ids[source[0]], ids[source[2]]);
        EXPECT_EQ(ids[source[0]], ids[source[5]]);
        EXPECT_EQ(ids[source[3]], ids[source[4]]);
        std::vector<TokenId> types{ids[source[0]], ids[source[1]], ids[source[3]]};
        std::sort(types.begin(), types.end());
        EXPECT_EQ(types, (std::vector<TokenId>{5, 7, 9}));
        moved = moved || ids[source[0]] != 5;
    }
    EXPECT_TRUE(moved);
}

TEST(Matching, Names)
{
    for (const Matching matching : {Matching::Identity, Matching::Coselection, Matching::Weights})
        EXPECT_EQ(matchingFromString(toString(matching)), matching);
    EXPECT_EQ(matchingFromString("names"), std::nullopt);
}

} // namespace
} // namespace headscope::core
