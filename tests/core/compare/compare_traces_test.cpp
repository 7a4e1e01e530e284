// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison says of models whose relation is known: the same, renumbered, unrelated, disturbed.
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

void expectIdentical(const Comparison& comparison, std::size_t routers)
{
    ASSERT_EQ(comparison.routers.size(), routers);
    EXPECT_EQ(comparison.agreement, 1);
    for (const RouterComparison& router : comparison.routers) {
        SCOPED_TRACE(router.a.toString());
        EXPECT_EQ(router.agreement, 1);
        EXPECT_EQ(router.bound, 1);
        EXPECT_EQ(router.loadDivergence, 0);
        EXPECT_NEAR(router.gateCorrelation, 1, 1e-12);
        EXPECT_LT(router.chance, 0.9);
        EXPECT_GT(router.mutualInformation, 0.1);
        EXPECT_FALSE(router.tooLittleText);
        for (const float agreement : router.unitAgreement)
            EXPECT_EQ(agreement, 1.0F);
    }
    for (const UnitComparison& unit : comparison.units) {
        EXPECT_EQ(unit.agreement, 1);
        EXPECT_EQ(unit.contextA, unit.contextB);
    }
    EXPECT_THAT(comparison.onlyA, IsEmpty());
    EXPECT_THAT(comparison.onlyB, IsEmpty());
}

Trace withLosses(Trace trace, float loss)
{
    trace.loss.assign(static_cast<std::size_t>(trace.tokens()), loss);
    trace.loss.front() = std::numeric_limits<float>::quiet_NaN();
    return trace;
}

TEST(CompareTraces, AModelAgainstItself)
{
    const auto text = letters(randomText(600, 1));
    const Trace trace = withLosses(sampleTrace(text, switchHead(text, 5, 2, {}), sampleModel(2)), 1.5F);
    Rows rows;
    CompareExtras extras;
    extras.rowsA = rows.of(1);
    extras.rowsB = rows.of(1);
    for (const Matching matching : {Matching::Identity, Matching::Coselection, Matching::Weights}) {
        SCOPED_TRACE(toString(matching));
        const Comparison comparison = compareTraces(traces(trace, trace), settings(matching), extras);
        expectIdentical(comparison, 8);
        EXPECT_TRUE(comparison.alignment.sameTokens);
        EXPECT_EQ(comparison.crossFitted, matching == Matching::Coselection);
        for (const RouterComparison& router : comparison.routers) {
            EXPECT_EQ(router.a, router.b);
            std::vector<int> same(5);
            std::iota(same.begin(), same.end(), 0);
            EXPECT_EQ(router.expertOfB, same);
            EXPECT_GT(router.agreement, router.null.high);
            if (matching == Matching::Coselection)
                EXPECT_EQ(router.stability, 1);
            else
                EXPECT_TRUE(std::isnan(router.stability));
        }
        EXPECT_EQ(comparison.loss.bytes, 599);
        EXPECT_NEAR(comparison.loss.bitsPerByteA, 1.5 / std::log(2.0), 1e-6);
        EXPECT_EQ(comparison.loss.bitsPerByteA, comparison.loss.bitsPerByteB);
        EXPECT_EQ(comparison.loss.difference.low, 0);
        EXPECT_EQ(comparison.loss.difference.high, 0);
    }
}

TEST(CompareTraces, FindsRenumberedExpertsAndHeads)
{
    const auto text = letters(randomText(600, 2));
    const auto sites = switchHead(text, 5, 2, {});
    const std::vector<int> to{3, 0, 4, 1, 2};
    std::vector<SampleSite> other;
    for (const SampleSite& site : sites) {
        other.push_back(renumbered(site, to));
        for (std::size_t token = 0; token < text.tokens.size(); ++token) // and exchange the heads
            std::swap_ranges(other.back().logits.begin() + static_cast<std::ptrdiff_t>(token * 10),
                             other.back().logits.begin() + static_cast<std::ptrdiff_t>(token * 10 + 5),
                             other.back().logits.begin() + static_cast<std::ptrdiff_t>(token * 10 + 5));
    }
    const auto both =
        traces(sampleTrace(text, sites, sampleModel(2)), sampleTrace(text, other, sampleModel(2, "elsewhere/model.pth")));
    Rows rows;
    CompareExtras extras;
    extras.rowsA = rows.of(1);
    const auto moved = rows.of(1, to);
    extras.rowsB = [moved](RouterAddress address) {
        address.head = 1 - *address.head;
        return moved(address);
    };
    for (const Matching matching : {Matching::Coselection, Matching::Weights}) {
        SCOPED_TRACE(toString(matching));
        const Comparison comparison = compareTraces(both, settings(matching), extras);
        expectIdentical(comparison, 8);
        for (const RouterComparison& router : comparison.routers) {
            EXPECT_EQ(router.expertOfB, to);
            EXPECT_EQ(router.a.wholeSite(), router.b.wholeSite());
            EXPECT_EQ(*router.a.head, 1 - *router.b.head);
            EXPECT_EQ(comparison.ofA(router.a), &router);
            EXPECT_EQ(comparison.ofB(router.b), &router);
        }
    }
    const Comparison unmatched = compareTraces(both, settings(Matching::Identity));
    EXPECT_LT(unmatched.agreement, 0.6);
    // Fitted on another text.
    const auto more = letters(randomText(500, 3));
    auto fitSites = switchHead(more, 5, 2, {});
    auto fitOther = fitSites;
    for (auto& site : fitOther)
        site = renumbered(site, to);
    const auto heads = traces(sampleTrace(text, sites, sampleModel(2)), [&] {
        auto renamed = sites;
        for (auto& site : renamed)
            site = renumbered(site, to);
        return sampleTrace(text, renamed, sampleModel(2));
    }());
    CompareExtras fitted;
    fitted.fit = traces(sampleTrace(more, fitSites, sampleModel(2)), sampleTrace(more, fitOther, sampleModel(2)));
    const Comparison comparison = compareTraces(heads, settings(Matching::Coselection), fitted);
    expectIdentical(comparison, 8);
    EXPECT_FALSE(comparison.crossFitted);
}

/// The mean over all permutations of B's experts, of identity agreement, is k/E: every expert is as often opposite every
/// other.
TEST(CompareTraces, IdentityAgreementOverPermutationsIsByChance)
{
    for (const auto& [experts, chosen] : {std::pair{5, 2}, {4, 1}, {16, 3}}) {
        const auto text = letters(randomText(300, 7));
        const SampleSite site{.address = "layers.0.self.o",
                              .experts = experts,
                              .chosen = chosen,
                              .heads = 1,
                              .perHead = false,
                              .logits = randomLogits(text, 1, experts, {})};
        std::vector<std::vector<int>> permutations;
        if (experts <= 5) {
            std::vector<int> order(static_cast<std::size_t>(experts));
            std::iota(order.begin(), order.end(), 0);
            do
                permutations.push_back(order);
            while (std::next_permutation(order.begin(), order.end()));
        } else {
            for (std::uint64_t seed = 0; seed < 500; ++seed)
                permutations.push_back(randomPermutation(experts, seed));
        }
        const auto a = std::make_shared<const Trace>(sampleTrace(text, {site}, sampleModel(1)));
        CompareSettings plain;
        plain.matching = Matching::Identity;
        plain.nullReplicates = 0;
        plain.bootstrapReplicates = 0;
        double sum = 0;
        for (const auto& to : permutations)
            sum += compareTraces(
                       {a, std::make_shared<const Trace>(sampleTrace(text, {renumbered(site, to)}, sampleModel(1)))}, plain)
                       .agreement;
        EXPECT_NEAR(sum / static_cast<double>(permutations.size()), static_cast<double>(chosen) / experts, 0.02);
    }
}

/// Two unrelated functions of the token, disturbed by the position.
TEST(CompareTraces, UnrelatedModelsAreInsideTheNull)
{
    int inside = 0;
    double agreement = 0, null = 0, information = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const auto text = letters(randomText(400, seed));
        const auto site = [&text](std::uint64_t own) {
            return SampleSite{.address = "layers.0.self.o",
                              .experts = 5,
                              .chosen = 2,
                              .heads = 1,
                              .perHead = false,
                              .logits = randomLogits(text, 1, 5, {.seed = own, .context = 0.7, .noiseSeed = own})};
        };
        CompareSettings wanted = settings(Matching::Coselection);
        wanted.nullReplicates = 60;
        wanted.bootstrapReplicates = 0;
        wanted.seed = seed;
        const Comparison comparison = compareTraces(traces(sampleTrace(text, {site(2 * seed)}, sampleModel(1)),
                                                           sampleTrace(text, {site(2 * seed + 1)}, sampleModel(1))),
                                                    wanted);
        const RouterComparison& router = comparison.routers.front();
        inside += router.null.low <= router.agreement && router.agreement <= router.null.high;
        agreement += router.agreement / 100;
        null += router.nullMean / 100;
        information += router.mutualInformation / 100;
    }
    EXPECT_GE(inside, 88);
    EXPECT_NEAR(agreement, null, 0.03);
    EXPECT_LT(information, 0.05);
}

TEST(CompareTraces, AgreementFallsWithNoiseOnTheLogits)
{
    const auto text = letters(randomText(400, 11));
    const SampleSite site{.address = "layers.0.self.o",
                          .experts = 5,
                          .chosen = 2,
                          .heads = 1,
                          .perHead = false,
                          .logits = randomLogits(text, 1, 5, {})};
    double before = 1.0001;
    for (const double noise : {0.0, 0.2, 0.5, 1.0, 3.0}) {
        double mean = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            SampleSite disturbed = site;
            for (std::size_t i = 0; i < disturbed.logits.size(); ++i)
                disturbed.logits[i] += static_cast<float>(noise * normal(seed, i));
            CompareSettings wanted = settings(Matching::Coselection);
            wanted.nullReplicates = 0;
            mean += compareTraces(
                        traces(sampleTrace(text, {site}, sampleModel(1)), sampleTrace(text, {disturbed}, sampleModel(1))),
                        wanted)
                        .agreement /
                    20;
        }
        EXPECT_LT(mean, before) << "noise " << noise;
        before = mean;
    }
    EXPECT_LT(before, 0.65);
}

} // namespace
} // namespace headscope::core
