// SPDX-License-Identifier: GPL-3.0-or-later
// Texts without an end: the ids of one call, and a way to stop.
#include "core/tokenizer/safe_cuts.h"
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <algorithm>
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
    EXPECT_EQ(tokens, makeSentencePiece(test_models::bytesOf(demoModel), demoModel, {.partBytes = 64})->encode(text, {}));
    EXPECT_EQ(tokens, makeSentencePiece(test_models::bytesOf(demoModel), demoModel, {.partBytes = 1U << 20})->encode(text, {}));
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

/// One word of so many letters: all alike, or at random, so that pairs are joined in every way.
std::string oneWord(std::size_t size, std::string_view letters, unsigned seed)
{
    std::mt19937 random(seed);
    std::string word;
    for (std::size_t i = 0; i < size; ++i)
        word += letters[random() % letters.size()];
    return word;
}

/// A vocabulary of two letters in which every pair may be joined, the order of joins being as odd as can be.
test_models::Model chains(unsigned seed)
{
    std::mt19937 random(seed);
    test_models::Model model;
    std::vector<std::string> pieces{"a", "b", "▁"};
    for (int size = 2; size <= 6; ++size)
        for (int i = 0; i < 6; ++i)
            pieces.push_back(oneWord(static_cast<std::size_t>(size), "ab", static_cast<unsigned>(random())));
    std::sort(pieces.begin() + 3, pieces.end());
    pieces.erase(std::unique(pieces.begin() + 3, pieces.end()), pieces.end());
    std::shuffle(pieces.begin() + 3, pieces.end(), random);
    model.add(pieces);
    return model;
}

TEST(FaultC2, AWordOfAnyLengthIsThatOfOneCall)
{
    for (unsigned seed = 0; seed < 30; ++seed) {
        const std::string bytes = chains(seed).bytes();
        sentencepiece::SentencePieceProcessor library;
        ASSERT_TRUE(library.LoadFromSerializedProto(bytes).ok());
        for (const std::string_view letters : {"a", "ab", "aaaab", "abc"}) {
            const std::string word = oneWord(3000, letters, seed);
            std::vector<int> ids;
            ASSERT_TRUE(library.Encode(word, &ids).ok());
            const std::vector<TokenId> wanted(ids.begin(), ids.end());
            std::size_t most = 0;
            const auto tokenizer =
                makeSentencePiece(bytes, "chains.model", {.windowBytes = 128, .onCall = [&](std::size_t size) { most = std::max(most, size); }});
            const auto whole = tokenizer->encode(word, {});
            EXPECT_EQ(whole.ids(), wanted) << seed << ' ' << letters;
            EXPECT_LE(most, 128U);
            EXPECT_TRUE(keepsInvariants(whole));
            EXPECT_EQ(streamed(*tokenizer, word, {}, 700), whole.tokens) << seed << ' ' << letters;
        }
    }
}

TEST(FaultC2, MegabytesOfOneLetterAreCutAndCanBeStopped)
{
    // 3 MB in one call took a minute and a gigabyte.
    const auto bytes = test_models::bytesOf(demoModel);
    std::size_t calls = 0;
    std::size_t most = 0;
    const auto tokenizer = makeSentencePiece(bytes, demoModel, {.onCall = [&](std::size_t size) {
        ++calls;
        most = std::max(most, size);
    }});
    for (const char* const letter : {"a", "é", "."}) {
        std::string word;
        while (word.size() < (1U << 20))
            word += letter;
        std::size_t tokens = 0;
        const auto stream = tokenizer->stream({});
        for (std::size_t place = 0; place < word.size(); place += 1U << 16)
            tokens += stream->add(std::string_view(word).substr(place, 1U << 16)).size();
        tokens += stream->finish().size();
        EXPECT_EQ(tokens, tokenizer->encode(word, {}).tokens.size()) << letter;
    }
    EXPECT_LE(most, sentencePieceWindowBytes);
    EXPECT_GT(calls, 50U);
    std::string unknown; // joined into one token
    while (unknown.size() < (1U << 18))
        unknown += "깰";
    EXPECT_EQ(tokenizer->encode(unknown, {}).ids(), idsOfOneCall(demoModel, unknown));

    std::stop_source stop;
    calls = 0;
    const auto stopping = makeSentencePiece(bytes, demoModel, {.onCall = [&](std::size_t) {
        if (++calls == 5)
            stop.request_stop();
    }});
    EXPECT_THROW(stopping->encode(std::string(3U << 20, 'a'), {}, {.report = {}, .stop = stop.get_token()}), Cancelled);
    EXPECT_LE(calls, 6U);
}

TEST(FaultC2, WhatCannotBeCutIsRefusedBeforeItFillsTheMemory)
{
    auto unigram = test_models::smallBpe();
    unigram.algorithm = 1;
    auto unused = test_models::smallBpe();
    unused.pieces[6].type = test_models::Type::Unused;
    for (const auto& model : {unigram, unused}) {
        const auto tokenizer = makeSentencePiece(model.bytes(), "one call.model");
        const auto refusal = [](const auto& work) {
            try {
                work();
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        };
        EXPECT_THAT(refusal([&] { tokenizer->encode(std::string(5U << 20, 'a'), {}); }), testing::HasSubstr("\"lines\""));
        std::size_t given = 0;
        EXPECT_THAT(refusal([&] {
                        const auto stream = tokenizer->stream({});
                        for (; given < (64U << 20); given += 1U << 16)
                            stream->add(std::string(1U << 16, 'a'));
                    }),
                    testing::HasSubstr("without a place"));
        EXPECT_LE(given, 9U << 20) << "a stream is refused when it is too long, not when it has ended";
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
