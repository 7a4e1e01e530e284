// SPDX-License-Identifier: GPL-3.0-or-later
// Texts without an end: the ids of one call, and a way to stop.
#include "core/tokenizer/safe_cuts.h"
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <random>

namespace {

using namespace headscope::core;

const std::filesystem::path demoModel = std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model";

std::vector<TokenId> idsOfOneCall(const std::filesystem::path& model, std::string_view text)
{
    sentencepiece::SentencePieceProcessor library;
    EXPECT_TRUE(library.LoadFromSerializedProto(test_models::bytesOf(model)).ok());
    std::vector<int> ids;
    EXPECT_TRUE(library.Encode(text, &ids).ok());
    return {ids.begin(), ids.end()};
}

/// Words of the demonstration text in random order between odd white space.
std::string longText(std::size_t size)
{
    const std::string sample = test_models::bytesOf(demoModel.parent_path() / "switchhead/text.txt");
    std::mt19937 random(3);
    std::string text;
    const std::vector<std::string> between{"",    "",   " ", " ",      " ", " ",   "  ", "\n", "\r\n\n",
                                           "\t ", ", ", "—", "\u00A0", "…", " 12", "한", "💩"};
    while (text.size() < size) {
        const auto begin = std::uniform_int_distribution<std::size_t>(0, sample.size() - 1)(random);
        text += sample.substr(begin, std::uniform_int_distribution<std::size_t>(1, 30)(random));
        text += between[std::uniform_int_distribution<std::size_t>(0, between.size() - 1)(random)];
    }
    return text;
}

TEST(LongText, TheIdsOfOneCall)
{
    const std::string text = longText(60000);
    const auto tokens = openSentencePiece(demoModel)->encode(text, {});
    EXPECT_TRUE(keepsInvariants(tokens));
    EXPECT_EQ(tokens.ids(), idsOfOneCall(demoModel, text));
    EXPECT_EQ(tokens, makeSentencePiece(test_models::bytesOf(demoModel), demoModel, 64)->encode(text, {}));
    EXPECT_EQ(tokens, makeSentencePiece(test_models::bytesOf(demoModel), demoModel, 1U << 20)->encode(text, {}));
}

std::vector<Token> streamed(const Tokenizer& tokenizer, std::string_view text, const TextPolicy& policy, std::size_t bytesAtATime)
{
    const auto stream = tokenizer.stream(policy);
    std::vector<Token> tokens;
    for (std::size_t place = 0; place < text.size(); place += bytesAtATime)
        for (Token& token : stream->add(text.substr(place, bytesAtATime)))
            tokens.push_back(std::move(token));
    for (Token& token : stream->finish())
        tokens.push_back(std::move(token));
    return tokens;
}

TEST(LongText, AStreamGivesTheTokensOfTheWhole)
{
    const std::string text = longText(300000) + "\xff\xe2\x96 end \r\n\r\n";
    const auto tokenizer = openSentencePiece(demoModel);
    for (const auto split : {TextPolicy::Split::Whole, TextPolicy::Split::Lines}) {
        for (const bool specials : {false, true}) {
            const TextPolicy policy{split, specials, specials};
            const auto whole = tokenizer->encode(text, policy).tokens;
            for (const std::size_t bytes : {std::size_t{7}, std::size_t{4096}, text.size()})
                EXPECT_EQ(streamed(*tokenizer, text, policy, bytes), whole) << toString(split) << ", " << bytes;
        }
    }
}

TEST(LongText, AStreamOfVeryShortAndVeryLongTexts)
{
    const auto tokenizer = openSentencePiece(demoModel);
    for (const std::string& text : {std::string(), std::string(" "), std::string("\n"), std::string("a"), std::string("\r"), std::string("a\r\nb"),
                                    std::string(200000, 'a'), std::string(200000, ' '), std::string(200000, '\n')})
        for (const auto split : {TextPolicy::Split::Whole, TextPolicy::Split::Lines})
            EXPECT_EQ(streamed(*tokenizer, text, {split, true, true}, 1000), tokenizer->encode(text, {split, true, true}).tokens)
                << text.size() << ' ' << toString(split);
}

TEST(LongText, WithoutWhiteSpace)
{
    const auto tokenizer = openSentencePiece(demoModel);
    const std::string same(100000, 'a');
    const auto tokens = tokenizer->encode(same, {});
    EXPECT_TRUE(keepsInvariants(tokens));
    EXPECT_EQ(tokens.ids(), idsOfOneCall(demoModel, same));

    std::mt19937 random(4);
    std::string base64;
    for (int i = 0; i < 100000; ++i)
        base64 += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random() % 64];
    EXPECT_EQ(tokenizer->encode(base64, {}).ids(), idsOfOneCall(demoModel, base64));
}

TEST(LongText, CanBeCancelledOnTheWay)
{
    const auto tokenizer = openSentencePiece(demoModel);
    std::stop_source stop;
    double reached = 0;
    const Progress progress{.report =
                                [&](double fraction, std::string_view) {
                                    EXPECT_GE(fraction, reached);
                                    EXPECT_LE(fraction, 1);
                                    reached = fraction;
                                    if (fraction > 0.25)
                                        stop.request_stop();
                                },
                            .stop = stop.get_token()};
    EXPECT_THROW(tokenizer->encode(longText(200000), {}, progress), Cancelled);
    EXPECT_LT(reached, 0.35);
    reached = 0;
    stop = std::stop_source();
    const Progress lines{.report = progress.report, .stop = stop.get_token()};
    EXPECT_THROW(tokenizer->encode(longText(200000), {.split = TextPolicy::Split::Lines}, lines), Cancelled);
    EXPECT_LT(reached, 0.35);
}

TEST(LongText, OneWordOfMegabytesIsRefusedWithARemedy)
{
    try {
        openSentencePiece(demoModel)->encode(std::string(5U << 20, 'a'), {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("5 MB"));
        EXPECT_THAT(error.what(), testing::HasSubstr("\"lines\""));
    }
}

TEST(LongText, PartsTogetherAreTheText)
{
    const SafeCuts cuts({"▁", "a", "b", "ab", "▁a"}, SafeCuts::UnknownCharacters::Joined);
    // a ▁ a b ▁ b, one byte of original each
    const NormalText normal{"a▁ab▁b", {{0, 0}, {1, 1}, {2, 4}, {3, 5}, {4, 6}, {5, 9}, {6, 10}}};
    const auto parts = cuts.parts(normal, 1);
    ASSERT_EQ(parts.size(), 3U); // before each space; "▁b" is no piece but a cut behind a space is none
    EXPECT_EQ(parts[1].firstUnit, 1U);
    EXPECT_EQ(parts[2].firstUnit, 4U);
    EXPECT_EQ(parts[2].contextUnit, 3U);
    EXPECT_EQ(parts[2].lastUnit, 6U);
}

} // namespace
