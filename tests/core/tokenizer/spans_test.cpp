// SPDX-License-Identifier: GPL-3.0-or-later
// Which bytes of the original a token stands for, where the tokenizer changes the text. Each text is one from a bug report
// about highlights that cover the wrong characters.
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace headscope::core;
using test_models::Type;

std::shared_ptr<const Tokenizer> demo()
{
    return openSentencePiece(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
}

std::shared_ptr<const Tokenizer> withBytes()
{
    auto model = test_models::smallBpe().addBytes();
    model.removeExtraSpaces = false;
    return makeSentencePiece(model.bytes(), "small.model");
}

/// "piece[begin,end)" of every token, tokens of one group joined by "+", gaps in parentheses at the end.
std::string shown(const Tokenizer& tokenizer, std::string_view text)
{
    const TokenizedText tokens = tokenizer.encode(text, {});
    EXPECT_TRUE(keepsInvariants(tokens));
    EXPECT_EQ(tokens.text, text);
    std::string result;
    for (std::size_t i = 0; i < tokens.tokens.size(); ++i) {
        const Token& token = tokens.tokens[i];
        if (i > 0)
            result += token.group == tokens.tokens[i - 1].group ? "+" : " ";
        result += fmt::format("{}[{},{})", token.piece, token.span.begin, token.span.end);
        EXPECT_FALSE(token.special) << token.piece;
    }
    for (const ByteRange& gap : tokens.gaps)
        result += fmt::format(" ({},{})", gap.begin, gap.end);
    return result;
}

TEST(Spans, WhiteSpace)
{
    const auto tokenizer = demo();
    EXPECT_EQ(shown(*tokenizer, ""), "");
    EXPECT_EQ(shown(*tokenizer, " "), " (0,1)");
    EXPECT_EQ(shown(*tokenizer, "\n\n"), " (0,2)");
    EXPECT_EQ(shown(*tokenizer, "  a  b  "), "▁a[2,3) ▁b[3,6) (0,2) (6,8)");
    EXPECT_EQ(shown(*tokenizer, "  X"), "▁[2,2) X[2,3) (0,2)");
    EXPECT_EQ(shown(*tokenizer, "a\tb"), "▁a[0,1) ▁b[1,3)");
    EXPECT_EQ(shown(*tokenizer, "a\r\nb"), "▁a[0,1) ▁b[1,4)");
    EXPECT_EQ(shown(*tokenizer, "a\u2028b"), "▁a[0,1) ▁b[1,5)");
    EXPECT_EQ(shown(*tokenizer, "a\u00A0b"), "▁a[0,1) ▁b[1,4)");
    EXPECT_EQ(shown(*tokenizer, "a  X"), "▁a[0,1) ▁[1,2) X[3,4) (2,3)");
    EXPECT_EQ(shown(*tokenizer, "\uFEFFa"), "▁a[3,4) (0,3)"); // BOM
}

TEST(Spans, ControlCharactersVanish)
{
    const auto tokenizer = demo();
    EXPECT_EQ(shown(*tokenizer, "\x01"), " (0,1)");
    EXPECT_EQ(shown(*tokenizer, "a\x1b[0m"), "▁a[0,1) [[2,3) 0[3,4) m[4,5) (1,2)");
    EXPECT_EQ(shown(*tokenizer, " \x01X"), "▁[1,1) X[2,3) (0,2)"); // the dummy prefix stands inside the gap
    EXPECT_EQ(shown(*tokenizer, std::string_view("a\0b", 3)), std::string("▁a[0,1) ") + '\0' + "[1,2) b[2,3)");
    EXPECT_EQ(shown(*tokenizer, "a\u200Db"), "▁a[0,1) \u200D[1,4) b[4,5)"); // ZWJ
    EXPECT_EQ(shown(*tokenizer, "a\u202Eb"), "▁a[0,1) \u202E[1,4) b[4,5)"); // right-to-left override
}

TEST(Spans, ComposedAndDecomposedCharacters)
{
    const auto tokenizer = demo();
    EXPECT_EQ(shown(*tokenizer, "\u1112\u1161\u11AB"), "▁[0,0) \uD55C[0,9)"); // decomposed Hangul
    EXPECT_EQ(shown(*tokenizer, "e\u0301a"), "▁[0,0) é[0,3) a[3,4)");
    EXPECT_EQ(shown(*tokenizer, "\u30FF"), "▁[0,0) コト[0,3)");
    EXPECT_EQ(shown(*tokenizer, "\u1FBD"),
              "▁[0,0) \u0313[0,3)"); // decomposes into space and comma; the leading space is dropped
    EXPECT_EQ(shown(*tokenizer, "a\u1FBDb"), "▁a[0,1) ▁[1,1)+\u0313[1,4) b[4,5)");
    EXPECT_EQ(shown(*tokenizer, "oﬁce"), "▁of[0,1)+ice[1,6)");
    EXPECT_EQ(shown(*tokenizer, "？……"), "▁[0,0) ?[0,3) ..[3,3)+..[3,6)+..[6,9)");
    EXPECT_EQ(shown(*tokenizer, "½ cup"), "▁[0,0) 1[0,0)+⁄[0,0)+2[0,2) ▁cup[2,6)");
}

TEST(Spans, UnknownCharacters)
{
    const auto tokenizer = demo();
    EXPECT_EQ(shown(*tokenizer, "i ⭢ j"), "▁[0,0) i[0,1) ▁[1,2) ⭢[2,5) ▁j[5,7)");
    EXPECT_EQ(shown(*tokenizer, "잠 깰 수"), "▁[0,0) 잠[0,3) ▁[3,4) 깰[4,7) ▁[7,8) 수[8,11)");
    EXPECT_EQ(shown(*tokenizer, "💩💩"), "▁[0,0) 💩💩[0,8)");
    EXPECT_EQ(shown(*tokenizer, "של ו"), "▁[0,0) של[0,4) ▁[4,5) ו[5,7)");
    const auto first = tokenizer->encode("💩", {}).tokens.at(1);
    EXPECT_EQ(first.id, 0);
    EXPECT_EQ(tokenizer->piece(0), "<unk>");
}

TEST(Spans, SpecialTextIsText)
{
    const auto tokenizer = demo();
    EXPECT_EQ(shown(*tokenizer, "</s>"), "▁[0,0) <[0,1) /[1,2) s[2,3) >[3,4)");
    EXPECT_EQ(shown(*tokenizer, "<0x41>"), "▁[0,0) <[0,1) 0[1,2) x[2,3) 4[3,4) 1[4,5) >[5,6)");
    EXPECT_EQ(shown(*withBytes(), "<0x41>"), "▁[0,0) <[0,1) <0x30>[1,2) x[2,3) <0x34>[3,4) 1[4,5) >[5,6)");
    EXPECT_EQ(shown(*withBytes(), "</s>"), "▁[0,0) <[0,1) <0x2F>[1,2) <0x73>[2,3) >[3,4)");
}

TEST(Spans, BytesOfOneCharacterAreOneGroup)
{
    const auto tokenizer = withBytes();
    EXPECT_EQ(shown(*tokenizer, "깰 💩"),
              "▁[0,0) <0xEA>[0,0)+<0xB9>[0,0)+<0xB0>[0,3) ▁[3,4) <0xF0>[4,4)+<0x9F>[4,4)+<0x92>[4,4)+<0xA9>[4,8)");
    EXPECT_EQ(shown(*tokenizer, std::string_view("\0\t", 2)), "▁[0,0) <0x00>[0,1) <0x09>[1,2)");
    EXPECT_EQ(shown(*tokenizer, "  a  "),
              "▁▁[0,1) ▁a[1,3) ▁▁[3,5)"); // the dummy prefix is the first half of the first piece
}

TEST(Spans, InvalidUtf8)
{
    const auto tokenizer = withBytes();
    EXPECT_EQ(shown(*tokenizer, "a\xFF\xFE"),
              "▁a[0,1) <0xEF>[1,1)+<0xBF>[1,1)+<0xBD>[1,2) <0xEF>[2,2)+<0xBF>[2,2)+<0xBD>[2,3)");
    EXPECT_EQ(shown(*tokenizer, "\xE2\x82x"), "▁[0,0) <0xEF>[0,0)+<0xBF>[0,0)+<0xBD>[0,2) x[2,3)");
    EXPECT_EQ(shown(*demo(), "a\xE2\x82 X\xE2"), "▁a[0,1) ▁[1,3) X[4,5) (3,4) (5,6)"); // nmt_nfkc makes U+FFFD a space
}

TEST(Spans, SuffixSpace)
{
    auto model = test_models::smallBpe();
    model.spaceIsSuffix = true;
    EXPECT_EQ(shown(*makeSentencePiece(model.bytes(), "suffix.model"), "he he  "), "he[0,2) ▁[2,3) he[3,5) ▁[5,5) (5,7)");
}

TEST(Spans, UserDefinedSymbolsStay)
{
    auto model = test_models::smallBpe();
    model.rules = test_models::nmtNfkcRules();
    model.add({"<sep>", "ﬁ", "<s>x"}, Type::UserDefined);
    const auto tokenizer = makeSentencePiece(model.bytes(), "symbols.model");
    EXPECT_EQ(shown(*tokenizer, "a<sep>ﬁ<s>xb"), "▁a[0,1) <sep>[1,6) ﬁ[6,9) <s>x[9,13) b[13,14)");
}

} // namespace
