// SPDX-License-Identifier: GPL-3.0-or-later
// Thousands of texts that nobody would type, through models of every kind: the invariants hold, the ids are SentencePiece's
// own, and cutting a text into parts changes nothing.
#include "core/tokenizer/piece_spans.h"
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <ostream>
#include <random>
#include <set>

namespace {

using namespace headscope::core;
using test_models::Model;
using test_models::Type;

struct Kind {
    std::string name;
    std::string bytes;

    friend void PrintTo(const Kind& kind, std::ostream* stream) { *stream << kind.name; }
};

Model unigram()
{
    Model model = test_models::smallBpe();
    model.algorithm = 1;
    return model;
}

Model changed(Model model, void (*change)(Model&))
{
    change(model);
    return model;
}

std::vector<Kind> kinds()
{
    const Model bpe = test_models::smallBpe();
    const std::string rules = test_models::nmtNfkcRules();
    Model normalising = bpe;
    normalising.rules = rules;
    Model normalisingUnigram = unigram();
    normalisingUnigram.rules = rules;
    Model symbols = normalising;
    symbols.add({"<sep>", "▁▁x", "ﬁ", "a b", "ab<", "1", " 2"}, Type::UserDefined);
    symbols.pieces.erase(
        std::find_if(symbols.pieces.begin(), symbols.pieces.end(), [](const auto& piece) { return piece.text == "1"; }));
    Model bytes = bpe;
    bytes.addBytes();
    bytes.removeExtraSpaces = false;
    Model normalisingBytes = normalising;
    normalisingBytes.addBytes();
    return {
        {"demo", test_models::bytesOf(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model")},
        {"bpe", bpe.bytes()},
        {"normalising", normalising.bytes()},
        {"symbols", symbols.bytes()},
        {"bytes", bytes.bytes()},
        {"normalising bytes", normalisingBytes.bytes()},
        {"no dummy prefix", changed(normalising, [](Model& m) { m.addDummyPrefix = false; }).bytes()},
        {"nothing added or removed", changed(bpe, [](Model& m) { m.addDummyPrefix = m.removeExtraSpaces = false; }).bytes()},
        {"suffix", changed(normalising, [](Model& m) { m.spaceIsSuffix = true; }).bytes()},
        {"plain spaces", changed(bpe, [](Model& m) { m.escapeSpaces = false; }).bytes()},
        {"unigram", normalisingUnigram.bytes()},
        {"unigram bytes", unigram().addBytes().bytes()},
        {"word", changed(bpe, [](Model& m) { m.algorithm = 3; }).bytes()},
        {"characters", changed(normalising, [](Model& m) { m.algorithm = 4; }).bytes()},
        {"unused", changed(bpe, [](Model& m) { m.pieces[6].type = m.pieces[10].type = Type::Unused; }).bytes()},
        {"no space piece",
         changed(bpe, [](Model& m) { std::erase_if(m.pieces, [](const auto& p) { return p.text == "▁"; }); }).bytes()},
    };
}

std::string randomText(std::mt19937& random)
{
    static const std::vector<std::string> alphabet{"the",
                                                   " the",
                                                   "a",
                                                   "b",
                                                   "ab",
                                                   "aaaa",
                                                   "in",
                                                   "x",
                                                   "1",
                                                   "2",
                                                   "<",
                                                   ">",
                                                   ".",
                                                   " ",
                                                   " ",
                                                   "  ",
                                                   "   ",
                                                   "\t",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   "▁",
                                                   "▁▁",
                                                   std::string(1, '\0'),
                                                   "\x01",
                                                   "\x1b",
                                                   "\x7f",
                                                   "\u00A0",
                                                   "\u2028",
                                                   "\u200B",
                                                   "\u200D",
                                                   "\u202E",
                                                   "\uFEFF",
                                                   "\uFFFD",
                                                   "é",
                                                   "e\u0301",
                                                   "\u0301",
                                                   "\u1112\u1161\u11AB",
                                                   "\u1112",
                                                   "\u1161",
                                                   "한",
                                                   "가",
                                                   "…",
                                                   "？",
                                                   "\u30FF",
                                                   "\u1FBD",
                                                   "\u00A8",
                                                   "\u0342",
                                                   "ﬁ",
                                                   "½",
                                                   "\uFDFA",
                                                   "①",
                                                   "ｱ",
                                                   "\uFF9E",
                                                   "⭢",
                                                   "💩",
                                                   "👩\u200D👩",
                                                   "של",
                                                   "م\u064E",
                                                   "<s>",
                                                   "</s>",
                                                   "<unk>",
                                                   "<0x41>",
                                                   "<sep>",
                                                   "a b",
                                                   "ab<",
                                                   "\xFF",
                                                   "\xC0",
                                                   "\xE2\x82",
                                                   "\xF0\x9F\x92",
                                                   "\xED\xA0\x80",
                                                   "\x80",
                                                   "\xF4\x90"};
    std::string text;
    const auto length = std::uniform_int_distribution<std::size_t>(0, 40)(random);
    for (std::size_t i = 0; i < length; ++i)
        text += alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
    return text;
}

std::vector<Token> streamed(const Tokenizer& tokenizer, std::string_view text)
{
    const auto stream = tokenizer.stream({});
    std::vector<Token> tokens;
    for (std::size_t place = 0; place < text.size(); place += 3)
        for (Token& token : stream->add(text.substr(place, 3)))
            tokens.push_back(std::move(token));
    for (Token& token : stream->finish())
        tokens.push_back(std::move(token));
    return tokens;
}

class RandomText : public testing::TestWithParam<Kind>
{
};

std::string printable(std::string_view text)
{
    return testing::PrintToString(std::string(text));
}

TEST_P(RandomText, KeepsEveryPromise)
{
    const std::string& bytes = GetParam().bytes;
    sentencepiece::SentencePieceProcessor library;
    ASSERT_TRUE(library.LoadFromSerializedProto(bytes).ok()) << library.status().message();
    const SentencePieceFile file = parseSentencePiece(bytes, "random.model");
    const SentencePieceNormalizer normalizer(file);
    constexpr std::size_t never = 1U << 20;
    const auto whole = makeSentencePiece(bytes, "random.model", {.partBytes = never});
    const std::vector cut{makeSentencePiece(bytes, "random.model", {.partBytes = 1}), makeSentencePiece(bytes, "random.model", {.partBytes = 7}),
                          makeSentencePiece(bytes, "random.model", {.partBytes = never, .windowBytes = 64})};
    std::mt19937 random(20240607);
    for (int round = 0; round < 400; ++round) {
        const std::string text = randomText(random);
        SCOPED_TRACE(printable(text));
        const TokenizedText tokens = whole->encode(text, {});
        ASSERT_TRUE(keepsInvariants(tokens));
        for (const auto& tokenizer : cut)
            ASSERT_EQ(tokenizer->encode(text, {}), tokens);
        ASSERT_EQ(streamed(*cut.back(), text), tokens.tokens);
        ASSERT_TRUE(keepsInvariants(whole->encode(text, {.split = TextPolicy::Split::Lines, .addBos = true})));

        const ValidUtf8 valid(text);
        std::vector<std::string> pieces;
        std::vector<int> ids;
        ASSERT_TRUE(library.Encode(valid.text(), &pieces).ok());
        ASSERT_TRUE(library.Encode(valid.text(), &ids).ok());
        ASSERT_EQ(tokens.ids(), (std::vector<TokenId>(ids.begin(), ids.end())));
        // Our reading of the normaliser is the library's: the pieces spell our normal text.
        std::vector<Piece> found;
        for (std::size_t i = 0; i < ids.size(); ++i)
            found.push_back({ids[i], pieces[i], library.IsByte(ids[i]), {}});
        ASSERT_TRUE(alignPieces(found, normalizer.normalize(valid.text())));
    }
}

std::string nameOf(const testing::TestParamInfo<Kind>& test)
{
    std::string name = test.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Models, RandomText, testing::ValuesIn(kinds()), nameOf);

/// A text in which most characters become several or join with their neighbours.
std::string normalisingText(std::mt19937& random)
{
    static const std::vector<std::string> alphabet{
        "ﬁ",      "ﬃ",      "㍿",     "½",      "¾",      "⅓",     "\u1112\u1161\u11AB", "\u1112\u1161", "ヿ",     "\u1FBD", "\u00B4", "Ａ",
        "ｗ",     "１",     "ﾊﾟ",     "ｶﾞ",     "…",      "‥",     "㎏",                  "㋿",           "①",     "⑽",      "\uFDFA", "e\u0301",
        "e\u0301\u0302", "\u0301", "ǆ",      "ŉ",      "ª",     "\u2002",              "\u3000",       "\u00A0", "깰",     "💩",     "⭢",
        "a",      "the",    " ",      "  ",     ".",      "1",     "x",                   "\u0001",       "\u200B", "\uFEFF", "▁",     "<sep>"};
    std::string text;
    const auto length = std::uniform_int_distribution<std::size_t>(0, 25)(random);
    for (std::size_t i = 0; i < length; ++i)
        text += alphabet[std::uniform_int_distribution<std::size_t>(0, alphabet.size() - 1)(random)];
    return text;
}

class SpansAsTheLibrary : public testing::TestWithParam<Kind>
{
};

TEST_P(SpansAsTheLibrary, GivesThem)
{
    sentencepiece::SentencePieceProcessor library;
    ASSERT_TRUE(library.LoadFromSerializedProto(GetParam().bytes).ok());
    const auto tokenizer = makeSentencePiece(GetParam().bytes, "random.model");
    std::mt19937 random(7);
    int shared = 0;
    for (int round = 0; round < 600; ++round) {
        const std::string text = normalisingText(random);
        SCOPED_TRACE(printable(text));
        const TokenizedText tokens = tokenizer->encode(text, {});
        ASSERT_TRUE(keepsInvariants(tokens));
        sentencepiece::ImmutableSentencePieceText encoded;
        ASSERT_TRUE(library.Encode(text, encoded.mutable_proto()).ok());
        ASSERT_EQ(tokens.tokens.size(), encoded.pieces_size());
        std::vector<bool> dropped(text.size());
        for (const ByteRange& gap : tokens.gaps)
            std::fill(dropped.begin() + static_cast<std::ptrdiff_t>(gap.begin), dropped.begin() + static_cast<std::ptrdiff_t>(gap.end), true);
        for (std::size_t i = 0; i < tokens.tokens.size(); ++i) {
            const Token& token = tokens.tokens[i];
            const auto piece = encoded.pieces(static_cast<int>(i));
            ASSERT_EQ(token.id, static_cast<TokenId>(piece.id()));
            // The library gives what its normaliser dropped to the piece before; here it is a gap.
            const bool isBehindDropped = token.span.empty() && piece.begin() == piece.end() && token.span.end < piece.begin()
                                         && dropped[token.span.end] && dropped[piece.begin() - 1];
            ASSERT_TRUE(isBehindDropped || (piece.begin() <= token.span.begin && token.span.end <= piece.end()))
                << i << ": [" << token.span.begin << ", " << token.span.end << ") and [" << piece.begin() << ", " << piece.end() << ")";
            for (std::size_t byte = piece.begin(); byte < piece.end(); ++byte)
                ASSERT_TRUE(dropped[byte] || (token.span.begin <= byte && byte < token.span.end)) << i << ", byte " << byte;
            shared += i > 0 && token.group == tokens.tokens[i - 1].group ? 1 : 0;
        }
    }
    const std::set<std::string> withoutRules{"bpe", "nothing added or removed", "plain spaces", "word", "unused", "no space piece"};
    EXPECT_GT(shared, withoutRules.contains(GetParam().name) ? -1 : 20) << "or nothing was tried";
}

INSTANTIATE_TEST_SUITE_P(Models, SpansAsTheLibrary, testing::ValuesIn(kinds()), nameOf);

} // namespace
