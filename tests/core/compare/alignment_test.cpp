// SPDX-License-Identifier: GPL-3.0-or-later
// Which tokens of two tokenisations stand opposite each other.
#include "core/compare/alignment.h"

#include "core/error.h"
#include "core/stats/seeded_random.h"
#include "tests/core/compare/sample_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headscope::core {
namespace {

using samples::letters;
using samples::pieces;
using testing::ElementsAre;
using testing::IsEmpty;

/// "bytes: tokens of A | tokens of B" of every unit.
std::vector<std::string> shown(const Alignment& alignment)
{
    std::vector<std::string> result;
    for (const AlignedUnit& unit : alignment.units)
        result.push_back(std::to_string(unit.bytes.begin) + "-" + std::to_string(unit.bytes.end) + ": " +
                         std::to_string(unit.a.first) + "-" + std::to_string(unit.a.last) + " | " +
                         std::to_string(unit.b.first) + "-" + std::to_string(unit.b.last));
    return result;
}

std::vector<std::string> turned(const Alignment& alignment)
{
    Alignment other = alignment;
    for (AlignedUnit& unit : other.units)
        std::swap(unit.a, unit.b);
    return shown(other);
}

TEST(AlignTokens, SameTokensStandOppositeThemselves)
{
    const auto text = pieces({"[s]", "", "The", " let", "ter"});
    const Alignment alignment = alignTokens(text, text);
    EXPECT_TRUE(alignment.sameTokens);
    EXPECT_THAT(shown(alignment), ElementsAre("0-0: 1-2 | 1-2", "0-3: 2-3 | 2-3", "3-7: 3-4 | 3-4", "7-10: 4-5 | 4-5"));
    EXPECT_THAT(alignment.onlyA, ElementsAre(0));
    EXPECT_THAT(alignment.onlyB, ElementsAre(0));
}

TEST(AlignTokens, CutsWhereBothHaveABorder)
{
    const auto a = pieces({"The", " let", "ter", " was", " not"});
    const auto b = pieces({"The", " l", "etter", " ", "was not"});
    const Alignment alignment = alignTokens(a, b);
    EXPECT_FALSE(alignment.sameTokens);
    EXPECT_THAT(shown(alignment), ElementsAre("0-3: 0-1 | 0-1", "3-10: 1-3 | 1-3", "10-18: 3-5 | 3-5"));
    EXPECT_EQ(turned(alignTokens(b, a)), shown(alignment));
    EXPECT_THAT(alignment.onlyA, IsEmpty());
    EXPECT_THAT(alignment.onlyB, IsEmpty());
}

TEST(AlignTokens, ATokenOfTheSameBytesWithAnotherIdIsAUnit)
{
    auto b = letters("abc");
    b.tokens[1].id = 7;
    const Alignment alignment = alignTokens(letters("abc"), b);
    EXPECT_FALSE(alignment.sameTokens);
    EXPECT_THAT(shown(alignment), ElementsAre("0-1: 0-1 | 0-1", "1-2: 1-2 | 1-2", "2-3: 2-3 | 2-3"));
}

TEST(AlignTokens, TokensWithoutBytesBelongToTheTokenBehindAtTheEndBefore)
{
    const auto a = pieces({"[s]", "", "ab", "c", "", "[e]"});
    const auto b = pieces({"a", "bc"});
    const Alignment alignment = alignTokens(a, b);
    EXPECT_THAT(shown(alignment), ElementsAre("0-3: 1-5 | 0-2"));
    EXPECT_THAT(alignment.onlyA, ElementsAre(0, 5));
    EXPECT_THAT(alignment.onlyB, IsEmpty());
    EXPECT_THAT(shown(alignTokens(pieces({"", "a", "b"}), pieces({"a", "b"}))),
                ElementsAre("0-1: 0-2 | 0-1", "1-2: 2-3 | 1-2"));
}

TEST(AlignTokens, BytesThatOneDroppedAreLeftOver)
{
    const auto a = pieces({"ab", "  ", "c"});
    const auto b = pieces({"ab", "~  ", "c"});
    const Alignment alignment = alignTokens(a, b);
    EXPECT_THAT(shown(alignment), ElementsAre("0-2: 0-1 | 0-1", "4-5: 2-3 | 1-2"));
    EXPECT_THAT(alignment.onlyA, ElementsAre(1));
    EXPECT_THAT(alignment.onlyB, IsEmpty());
    const Alignment other = alignTokens(b, a);
    EXPECT_THAT(other.onlyB, ElementsAre(1));
    // A gap inside what the other takes together.
    EXPECT_THAT(shown(alignTokens(pieces({"ab c", "d"}), pieces({"ab", "~ ", "c", "d"}))),
                ElementsAre("0-4: 0-1 | 0-2", "4-5: 1-2 | 2-3"));
    // Both dropped it.
    EXPECT_THAT(shown(alignTokens(pieces({"a", "~ ", "bc"}), pieces({"a", "~ ", "b", "c"}))),
                ElementsAre("0-1: 0-1 | 0-1", "2-4: 1-2 | 1-3"));
}

TEST(AlignTokens, NeverCutsACharacter)
{
    // "é€" as five bytes of two characters on one side, as two tokens on the other; then tokens that share a character.
    auto bytes = pieces({"é", "", "€", "", "", "x"});
    for (const auto& [token, group] : {std::pair{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 1}, {5, 2}})
        bytes.tokens[static_cast<std::size_t>(token)].group = group;
    EXPECT_THAT(shown(alignTokens(bytes, pieces({"é", "€x"}))), ElementsAre("0-2: 0-2 | 0-1", "2-6: 2-6 | 1-2"));

    auto shared = pieces({"aé", "b", "c"}); // the second token begins inside é
    shared.tokens[1].group = 0;
    shared.tokens[2].group = 1;
    EXPECT_THAT(shown(alignTokens(shared, pieces({"a", "é", "b", "c"}))), ElementsAre("0-4: 0-2 | 0-3", "4-5: 2-3 | 3-4"));
}

TEST(AlignTokens, EmptyTexts)
{
    EXPECT_THAT(alignTokens({}, {}).units, IsEmpty());
    EXPECT_TRUE(alignTokens({}, {}).sameTokens);
    const Alignment specials = alignTokens(pieces({"[s]"}), pieces({"[t]", "[u]"}));
    EXPECT_THAT(specials.units, IsEmpty());
    EXPECT_THAT(specials.onlyA, ElementsAre(0));
    EXPECT_THAT(specials.onlyB, ElementsAre(0, 1));
    // A text of which nothing is left.
    const Alignment dropped = alignTokens(pieces({"~  "}), pieces({"", " ", " "}));
    EXPECT_THAT(dropped.units, IsEmpty());
    EXPECT_THAT(dropped.onlyB, ElementsAre(0, 1, 2));
}

TEST(AlignTokens, TextsGivenByIdsMustHaveTheSame)
{
    auto ids = letters("abc");
    ids.text.clear();
    for (Token& token : ids.tokens)
        token.span = {};
    const Alignment alignment = alignTokens(ids, ids);
    EXPECT_TRUE(alignment.sameTokens);
    EXPECT_EQ(alignment.units.size(), 3U);
    auto other = ids;
    other.tokens[2].id = 1;
    EXPECT_THROW(alignTokens(ids, other), Error);
    EXPECT_THROW(alignTokens(ids, letters("abc")), Error);
}

TEST(AlignTokens, RefusesAnotherText)
{
    EXPECT_THROW(alignTokens(letters("abc"), letters("abd")), Error);
}

/// Random cuts of one text: units tile it, and every unit border is one of both.
TEST(AlignTokens, UnitsAreTheSmallestThatBothCut)
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SeededRandom random(seed);
        const auto cut = [&random](const std::string& text) {
            std::vector<std::string> parts{""};
            for (const char letter : text) {
                if (!parts.back().empty() && random.below(2) == 0)
                    parts.emplace_back();
                parts.back() += letter;
            }
            return pieces(parts);
        };
        const std::string text = samples::randomText(30, seed);
        const auto a = cut(text);
        const auto b = cut(text);
        const Alignment alignment = alignTokens(a, b);
        std::size_t place = 0, tokenA = 0, tokenB = 0;
        for (const AlignedUnit& unit : alignment.units) {
            EXPECT_EQ(unit.bytes.begin, place);
            EXPECT_EQ(unit.a.first, tokenA);
            EXPECT_EQ(unit.b.first, tokenB);
            for (std::size_t border = unit.bytes.begin + 1; border < unit.bytes.end; ++border) {
                const auto at = [border](const Token& token) { return token.span.begin == border; };
                EXPECT_FALSE(std::any_of(a.tokens.begin(), a.tokens.end(), at) &&
                             std::any_of(b.tokens.begin(), b.tokens.end(), at));
            }
            place = unit.bytes.end;
            tokenA = unit.a.last;
            tokenB = unit.b.last;
        }
        EXPECT_EQ(place, text.size());
        EXPECT_EQ(tokenA, a.tokens.size());
        EXPECT_EQ(tokenB, b.tokens.size());
    }
}

} // namespace
} // namespace headscope::core
