// SPDX-License-Identifier: GPL-3.0-or-later
// Attention maps of two models: which correspond, and how alike their rows are.
#include "core/compare/attention_comparison.h"

#include "core/error.h"
#include "tests/core/compare/sample_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headscope::core {
namespace {

using namespace samples;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Query i of every map looks at key j <= i with weight w_j of that map: attention w_j / Σ_{j' <= i} w_j'.
std::shared_ptr<const AttentionKeep> attention(const MapAddress& address, const std::vector<std::vector<double>>& weights)
{
    auto block = std::make_shared<AttentionKeep>();
    block->address = address;
    block->maps = block->keyHeads = static_cast<int>(weights.size());
    block->width = 1;
    const auto tokens = weights.front().size();
    block->rows = block->columns = static_cast<std::int64_t>(tokens);
    std::vector<double> sums(weights.size(), 0);
    for (std::size_t token = 0; token < tokens; ++token)
        for (std::size_t map = 0; map < weights.size(); ++map) {
            sums[map] += weights[map][token];
            block->queries.push_back(1);
            block->keys.push_back(static_cast<float>(std::log(weights[map][token])));
            block->logSumExp.push_back(static_cast<float>(std::log(sums[map])));
        }
    return block;
}

std::vector<double> randomWeights(std::size_t tokens, std::uint64_t seed)
{
    std::vector<double> result;
    for (std::size_t token = 0; token < tokens; ++token)
        result.push_back(std::exp(normal(seed, token)));
    return result;
}

SampleSite site(const char* address, const TokenizedText& text, int heads, std::uint64_t seed, int experts = 3)
{
    return {.address = address,
            .experts = experts,
            .chosen = 1,
            .heads = heads,
            .perHead = std::string_view(address).ends_with("qo") ? false : true,
            .logits = randomLogits(text, heads, experts, {.seed = seed, .context = 0.1})};
}

CompareSettings plain(Matching matching)
{
    CompareSettings settings;
    settings.matching = matching;
    settings.nullReplicates = settings.bootstrapReplicates = 0;
    return settings;
}

TEST(CompareAttention, RowByRowAsFromWholeMaps)
{
    const auto text = letters(randomText(30, 1));
    Trace a = sampleTrace(text, {}, sampleModel(1));
    Trace b = a;
    a.attention = {attention({}, {randomWeights(30, 1), randomWeights(30, 2)})};
    b.attention = {attention({}, {randomWeights(30, 3), randomWeights(30, 4)})};
    const auto both = traces(a, b);
    const Alignment alignment = alignTokens(text, text);
    const MapPair maps{{{}, MapRef::By::Map, 0, 0}, {{}, MapRef::By::Map, 1, 0}};
    const auto comparison = compareAttention(both, alignment, maps);
    const Tile x = wholeMap(a, maps.a);
    const Tile y = wholeMap(b, maps.b);
    ASSERT_EQ(comparison.cosine.size(), 30U);
    double cosines = 0;
    for (std::size_t row = 0; row < 30; ++row) {
        double xy = 0, xx = 0, yy = 0, divergence = 0;
        for (std::size_t i = row * 30; i < row * 30 + row + 1; ++i) {
            const double p = x.values[i], q = y.values[i], m = (p + q) / 2;
            xy += p * q;
            xx += p * p;
            yy += q * q;
            divergence += (p * std::log2(p / m) + q * std::log2(q / m)) / 2;
        }
        EXPECT_NEAR(comparison.cosine[row], xy / std::sqrt(xx * yy), 1e-5);
        EXPECT_NEAR(comparison.divergence[row], divergence, 1e-5);
        cosines += xy / std::sqrt(xx * yy) / 30;
    }
    EXPECT_NEAR(comparison.meanCosine, cosines, 1e-5);
    EXPECT_FLOAT_EQ(comparison.cosine[0], 1);
    EXPECT_LT(comparison.cosine[20], 0.99F);

    const TileArea area{3, 2, 5, 4, 3};
    const Tile difference = differenceTile(both, alignment, maps, area);
    EXPECT_EQ(difference.area, area);
    for (std::int64_t r = 0; r < 5; ++r)
        for (std::int64_t c = 0; c < 4; ++c) {
            const auto at = static_cast<std::size_t>((3 + 3 * r) * 30 + 2 + 3 * c);
            EXPECT_FLOAT_EQ(difference.values[static_cast<std::size_t>(4 * r + c)], x.values[at] - y.values[at]);
        }
}

TEST(CompareAttention, AMapAgainstItself)
{
    const auto text = pieces({"[s]", "a", "b", "c"});
    Trace a = sampleTrace(text, {}, sampleModel(1));
    a.attention = {attention({}, {randomWeights(4, 1)})};
    const MapPair maps{{{}, MapRef::By::Map, 0, 0}, {{}, MapRef::By::Map, 0, 0}};
    const auto comparison = compareAttention(traces(a, a), alignTokens(text, text), maps);
    EXPECT_THAT(comparison.divergence, ElementsAre(0, 0, 0));
    for (const float cosine : comparison.cosine)
        EXPECT_FLOAT_EQ(cosine, 1);
    EXPECT_EQ(comparison.meanDivergence, 0);
    for (const float value : differenceTile(traces(a, a), alignTokens(text, text), maps, {0, 0, 4, 4, 1}).values)
        EXPECT_EQ(value, 0);
}

TEST(CompareAttention, ByUnitsWhereTokenizersDiffer)
{
    // Looking back evenly: A's "c" sees "ab" with 2/3, B's with 1/2.
    Trace a = sampleTrace(letters("abc"), {}, sampleModel(1));
    Trace b = sampleTrace(pieces({"ab", "c"}), {}, sampleModel(1));
    a.attention = {attention({}, {{1, 1, 1}})};
    b.attention = {attention({}, {{1, 1}})};
    const auto both = traces(a, b);
    const Alignment alignment = alignTokens(both.a->text(), both.b->text());
    const MapPair maps{{{}, MapRef::By::Map, 0, 0}, {{}, MapRef::By::Map, 0, 0}};
    const Tile difference = differenceTile(both, alignment, maps, {0, 0, 10, 10, 1});
    EXPECT_EQ(difference.area, (TileArea{0, 0, 2, 2, 1}));
    EXPECT_NEAR(difference.values[0], 0, 1e-6);
    EXPECT_NEAR(difference.values[1], 0, 1e-6);
    EXPECT_NEAR(difference.values[2], 1.0 / 6, 1e-6);
    EXPECT_NEAR(difference.values[3], -1.0 / 6, 1e-6);
    const Tile sampled = differenceTile(both, alignment, maps, {1, 0, 10, 10, 2});
    EXPECT_EQ(sampled.area, (TileArea{1, 0, 1, 1, 2}));
    EXPECT_NEAR(sampled.values.front(), 1.0 / 6, 1e-6);
    EXPECT_THAT(differenceTile(both, alignment, maps, {7, 0, 10, 10, 1}).values, IsEmpty());
    const auto comparison = compareAttention(both, alignment, maps);
    ASSERT_EQ(comparison.cosine.size(), 2U);
    EXPECT_NEAR(comparison.cosine[0], 1, 1e-6);
    EXPECT_NEAR(comparison.cosine[1], 0.5 / std::sqrt(5.0 / 9 / 2), 1e-6);
}

TEST(CompareAttention, RowsOfExpertsThatWereNotChosenAreBlank)
{
    const auto text = letters("abcd");
    SampleSite qo{.address = "layers.0.self.qo",
                  .experts = 2,
                  .chosen = 1,
                  .heads = 1,
                  .perHead = false,
                  .logits = {1, 0, 0, 1, 1, 0, 1, 0}};
    Trace a = sampleTrace(text, {qo}, sampleModel(1));
    qo.logits = {1, 0, 1, 0, 0, 1, 1, 0};
    Trace b = sampleTrace(text, {qo}, sampleModel(1));
    auto slots = std::make_shared<AttentionKeep>(*attention({}, {{1, 1, 1, 1}}));
    slots->slots = true;
    a.attention = {slots};
    b.attention = {slots};
    const auto both = traces(a, b);
    const auto pairs = mapPairs(compareTraces(both, plain(Matching::Identity)), *both.a, *both.b);
    ASSERT_EQ(pairs.pairs.size(), 2U);
    EXPECT_EQ(pairs.pairs[0], (MapPair{{{}, MapRef::By::Expert, 0, 0}, {{}, MapRef::By::Expert, 0, 0}}));
    EXPECT_EQ(pairs.pairs[1], (MapPair{{{}, MapRef::By::Expert, 1, 0}, {{}, MapRef::By::Expert, 1, 0}}));
    const auto comparison = compareAttention(both, alignTokens(text, text), pairs.pairs[0]);
    EXPECT_THAT(comparison.cosine,
                ElementsAre(testing::FloatEq(1), testing::IsNan(), testing::IsNan(), testing::FloatEq(1)));
    EXPECT_NEAR(comparison.meanCosine, 1, 1e-6);
    const Tile difference = differenceTile(both, alignTokens(text, text), pairs.pairs[0], {0, 0, 4, 1, 1});
    EXPECT_THAT(difference.values, ElementsAre(0, testing::IsNan(), testing::IsNan(), 0));
    EXPECT_TRUE(std::isnan(compareAttention(both, alignTokens(text, text), pairs.pairs[1]).meanCosine)); // never both
}

TEST(CompareAttention, NeedsMapsThatWereKept)
{
    const auto text = letters("abc");
    const auto none = sampleTrace(text, {}, sampleModel(1));
    const MapPair maps{{{}, MapRef::By::Map, 0, 0}, {{}, MapRef::By::Map, 0, 0}};
    EXPECT_THROW(compareAttention(traces(none, none), alignTokens(text, text), maps), Error);
    EXPECT_THROW(differenceTile(traces(none, none), alignTokens(text, text), maps, {0, 0, 1, 1, 1}), Error);
}

TEST(MapPairs, FollowTheHeads)
{
    const auto text = letters(randomText(300, 1));
    const auto v = site("layers.0.self.v", text, 2, 1);
    auto exchanged = v;
    for (std::size_t token = 0; token < text.tokens.size(); ++token)
        std::rotate(exchanged.logits.begin() + static_cast<std::ptrdiff_t>(6 * token),
                    exchanged.logits.begin() + static_cast<std::ptrdiff_t>(6 * token + 3),
                    exchanged.logits.begin() + static_cast<std::ptrdiff_t>(6 * token + 6));
    Trace a = sampleTrace(text, {v, site("layers.0.self.o", text, 2, 2)}, sampleModel(1));
    Trace b = sampleTrace(text, {exchanged, site("layers.0.self.o", text, 2, 3)}, sampleModel(1));
    a.attention = b.attention = {attention({}, {randomWeights(300, 1), randomWeights(300, 2)})};
    const auto both = traces(a, b);
    const auto pairs = mapPairs(compareTraces(both, plain(Matching::Coselection)), *both.a, *both.b);
    EXPECT_THAT(pairs.notes, IsEmpty());
    ASSERT_EQ(pairs.pairs.size(), 2U); // once, not for v and o each
    EXPECT_EQ(pairs.pairs[0], (MapPair{{{}, MapRef::By::Map, 0, 0}, {{}, MapRef::By::Map, 1, 0}}));
    EXPECT_EQ(pairs.pairs[1], (MapPair{{{}, MapRef::By::Map, 1, 0}, {{}, MapRef::By::Map, 0, 0}}));
}

TEST(MapPairs, SayWhenNothingCorresponds)
{
    const auto text = letters(randomText(100, 1));
    Trace heads = sampleTrace(text, {site("layers.0.self.o", text, 2, 1)}, sampleModel(1));
    Trace experts = sampleTrace(text, {site("layers.0.self.qo", text, 1, 1)}, sampleModel(1));
    Trace dense = sampleTrace(text, {}, sampleModel(1));
    const auto maps = attention({}, {randomWeights(100, 1), randomWeights(100, 2)});
    auto slots = std::make_shared<AttentionKeep>(*maps);
    slots->slots = true;
    heads.attention = dense.attention = {maps};
    experts.attention = {slots};
    const auto pairs = [](const Trace& a, const Trace& b, Matching matching) {
        const auto both = traces(a, b);
        return mapPairs(compareTraces(both, plain(matching)), *both.a, *both.b);
    };
    EXPECT_THAT(pairs(heads, experts, Matching::Coselection).pairs, IsEmpty());
    EXPECT_THAT(pairs(heads, experts, Matching::Coselection).notes,
                ElementsAre(HasSubstr("for every head, the other for every expert")));
    EXPECT_THAT(pairs(dense, heads, Matching::Coselection).notes, ElementsAre(HasSubstr("no heads of it were matched")));
    EXPECT_EQ(pairs(dense, dense, Matching::Identity).pairs.size(), 2U);
    EXPECT_THAT(pairs(dense, dense, Matching::Coselection).pairs, IsEmpty());
}

} // namespace
} // namespace headscope::core
