// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <gtest/gtest.h>

namespace {

using namespace headscope::core;
using Split = TextPolicy::Split;

class Policy : public testing::Test
{
protected:
    std::shared_ptr<const Tokenizer> tokenizer =
        openSentencePiece(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
};

TEST_F(Policy, Names)
{
    EXPECT_EQ(toString(Split::Whole), "whole");
    EXPECT_EQ(textSplitFromString("lines"), Split::Lines);
    EXPECT_EQ(textSplitFromString("line"), std::nullopt);
}

TEST_F(Policy, LinesAreEncodedAlone)
{
    const std::string text = "The first\r\n\n the\rsecond \xFF\n\x85 third";
    const auto whole = tokenizer->encode(text, {.split = Split::Lines});
    EXPECT_TRUE(keepsInvariants(whole));
    std::vector<Token> expected;
    for (const auto& [begin, line] : {std::pair{0U, "The first"}, {12U, " the"}, {17U, "second \xFF"}, {26U, "\x85 third"}})
        for (Token token : tokenizer->encode(line, {}).tokens) {
            token.span = {token.span.begin + begin, token.span.end + begin};
            expected.push_back(std::move(token));
        }
    ASSERT_EQ(whole.tokens.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(whole.tokens[i].id, expected[i].id);
        EXPECT_EQ(whole.tokens[i].span, expected[i].span) << i;
    }
    EXPECT_EQ(whole.gaps.front(), (ByteRange{9, 13})); // line ends and the space that begins a line
}

TEST_F(Policy, OnlyLineEndsEndLines)
{
    EXPECT_EQ(tokenizer->encode("a\u2028b\v\fc\u0085d", {.split = Split::Lines}).ids(),
              tokenizer->encode("a\u2028b\v\fc\u0085d", {}).ids());
    EXPECT_TRUE(tokenizer->encode("\n\r\n\r", {.split = Split::Lines}).tokens.empty());
    EXPECT_TRUE(keepsInvariants(tokenizer->encode("\n\r\n\r", {.split = Split::Lines})));
    EXPECT_EQ(tokenizer->encode("a\n", {.split = Split::Lines}).gaps, (std::vector<ByteRange>{{1, 2}}));
}

TEST_F(Policy, BosAndEos)
{
    for (const Split split : {Split::Whole, Split::Lines}) {
        const auto text = tokenizer->encode("a\nb", {.split = split, .addBos = true, .addEos = true});
        EXPECT_TRUE(keepsInvariants(text));
        ASSERT_EQ(text.tokens.size(), 4U);
        EXPECT_EQ(text.tokens.front(), (Token{.id = 1, .piece = "<s>", .span = {0, 0}, .special = true, .group = 0}));
        EXPECT_EQ(text.tokens.back(), (Token{.id = 2, .piece = "</s>", .span = {3, 3}, .special = true, .group = 3}));
        EXPECT_FALSE(text.tokens[1].special);
    }
    EXPECT_EQ(tokenizer->encode("", {.addBos = true, .addEos = true}).ids(), (std::vector<TokenId>{1, 2}));
    EXPECT_TRUE(keepsInvariants(tokenizer->encode(" ", {.addBos = true, .addEos = true})));
}

TEST_F(Policy, AMissingSymbolIsAnError)
{
    test_models::Model model;
    model.pieces = {{"<unk>", test_models::Type::Unknown}};
    model.add({"▁", "a"});
    const auto bare = makeSentencePiece(model.bytes(), "bare.model");
    EXPECT_EQ(bare->encode("a", {}).tokens.size(), 2U);
    EXPECT_THROW(bare->encode("a", {.addBos = true}), Error);
    EXPECT_THROW(bare->encode("a", {.addEos = true}), Error);
}

} // namespace
