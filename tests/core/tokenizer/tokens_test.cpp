// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokens.h"

#include "core/tokenizer/tokenizer.h"
#include "tests/core/tokenizer/invariants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace headscope::core;
using testing::HasSubstr;

template <typename Action>
std::string errorOf(Action action)
{
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

Token token(std::size_t begin, std::size_t end, int group)
{
    return {.id = 1, .piece = "x", .span = {begin, end}, .special = false, .group = group};
}

TEST(TokensTouching, RangesAndPlaces)
{
    // "▁"  "ab"  gap  "c"
    const std::vector<Token> tokens{token(0, 0, 0), token(0, 2, 1), token(3, 4, 2)};
    EXPECT_EQ(tokensTouching(tokens, {0, 1}), (TokenRange{1, 2}));
    EXPECT_EQ(tokensTouching(tokens, {1, 4}), (TokenRange{1, 3}));
    EXPECT_EQ(tokensTouching(tokens, {0, 100}), (TokenRange{1, 3}));
    EXPECT_EQ(tokensTouching(tokens, {2, 3}), TokenRange()); // the gap
    EXPECT_EQ(tokensTouching(tokens, {1, 1}), (TokenRange{1, 2}));
    EXPECT_EQ(tokensTouching(tokens, {2, 2}), TokenRange());
    EXPECT_EQ(tokensTouching(tokens, {3, 3}), (TokenRange{2, 3}));
    EXPECT_EQ(tokensTouching(tokens, {4, 4}), TokenRange());
    EXPECT_EQ(tokensTouching({}, {0, 1}), TokenRange());
}

TEST(TokensTouching, WholeGroups)
{
    // "of" and "ice" of "oﬁce", then three bytes of one character
    const std::vector<Token> tokens{token(0, 1, 0), token(1, 6, 0), token(6, 6, 1),
                                    token(6, 6, 1), token(6, 9, 1), token(9, 10, 2)};
    EXPECT_EQ(tokensTouching(tokens, {0, 1}), (TokenRange{0, 2}));
    EXPECT_EQ(tokensTouching(tokens, {5, 6}), (TokenRange{0, 2}));
    EXPECT_EQ(tokensTouching(tokens, {6, 7}), (TokenRange{2, 5}));
    EXPECT_EQ(tokensTouching(tokens, {9, 10}), (TokenRange{5, 6}));
}

TEST(TokensFromIds, PiecesAndBounds)
{
    const auto text = tokensFromIds({2, 0, 2}, nullptr, 3);
    EXPECT_TRUE(keepsInvariants(text));
    EXPECT_EQ(text.ids(), (std::vector<TokenId>{2, 0, 2}));
    EXPECT_EQ(text.tokens[0].piece, "2");
    EXPECT_TRUE(tokensFromIds({}, nullptr, 3).tokens.empty());
    EXPECT_THAT(errorOf([] { tokensFromIds({0, 3}, nullptr, 3); }), HasSubstr("The id 3 at place 1"));
    EXPECT_THAT(errorOf([] { tokensFromIds({-1}, nullptr, 3); }), HasSubstr("0 to 2"));

    const auto tokenizer = openSentencePiece(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    const auto named = tokensFromIds({1, 3, 4010}, tokenizer.get(), 4096);
    EXPECT_EQ(named.tokens[0].piece, "<s>");
    EXPECT_TRUE(named.tokens[0].special);
    EXPECT_EQ(named.tokens[1].piece, "▁t");
    EXPECT_EQ(named.tokens[2].piece, "4010"); // a padding row
}

TEST(RequireIdsBelow, NamesTheTokenAndTheRemedy)
{
    const auto tokenizer = openSentencePiece(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    const auto text = tokenizer->encode("a cup", {});
    EXPECT_NO_THROW(requireIdsBelow(text, 4000, tokenizer.get()));
    const std::string error = errorOf([&] { requireIdsBelow(text, 192, tokenizer.get()); });
    EXPECT_THAT(error, HasSubstr("▁cup"));
    EXPECT_THAT(error, HasSubstr("192 embedding rows"));
    EXPECT_THAT(error, HasSubstr("tokenizer.model"));
    EXPECT_THAT(error, HasSubstr("trained with"));
}

TEST(IdList, ReadsWhatPeopleWrite)
{
    const auto tokenizer = makeIdListTokenizer(200);
    const auto text = tokenizer->encode(" 15 126,\t157\n[3; 4]", {});
    EXPECT_TRUE(keepsInvariants(text));
    EXPECT_EQ(text.ids(), (std::vector<TokenId>{15, 126, 157, 3, 4}));
    EXPECT_EQ(text.tokens[1].span, (ByteRange{4, 7}));
    EXPECT_TRUE(tokenizer->encode("", {}).tokens.empty());
    EXPECT_TRUE(tokenizer->encode(" , ", {}).tokens.empty());
    for (const char* word : {"15 x", "200", "-1", "1.5", "0x10", "99999999999999999999"})
        EXPECT_THAT(errorOf([&] { tokenizer->encode(word, {}); }), HasSubstr("is not an id from 0 to 199")) << word;
    EXPECT_EQ(tokenizer->piece(7), "7");
    EXPECT_EQ(tokenizer->piece(200), "");
    EXPECT_EQ(tokenizer->size(), 200);
}

} // namespace
