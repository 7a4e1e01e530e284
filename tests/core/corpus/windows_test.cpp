// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/windows.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

namespace headscope::core::testing {
namespace {

using ::testing::ElementsAre;

const std::filesystem::path demoTokenizer = std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model";

WindowReader readerOf(const std::vector<std::filesystem::path>& paths, const DocumentSplit& split, const WindowOptions& options,
                      const Progress& progress = {})
{
    return {DocumentReader(findCorpusFiles(paths), split), openSentencePiece(demoTokenizer), options, progress};
}

std::vector<Window> windowsOf(WindowReader& reader)
{
    std::vector<Window> windows;
    while (reader.nextDocument())
        while (auto window = reader.next())
            windows.push_back(std::move(*window));
    return windows;
}

TEST(Windows, HoldTheTokensOfTheWholeDocument)
{
    const CorpusFolder folder;
    const std::string text = someText(400); // more than is read at once
    const auto tokenizer = openSentencePiece(demoTokenizer);
    for (const auto split : {TextPolicy::Split::Whole, TextPolicy::Split::Lines}) {
        const TextPolicy policy{split, true, false};
        auto reader = readerOf({folder.file("a", text), folder.file("b", "Is it far?")}, {}, {.policy = policy, .length = 100});
        const auto windows = windowsOf(reader);
        const auto whole = tokenizer->encode(text, policy);
        std::vector<TokenId> ids;
        for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
            EXPECT_EQ(windows[i].document, 0U);
            EXPECT_EQ(windows[i].index, i);
            EXPECT_EQ(windows[i].ids.size(), i + 2 < windows.size() ? 100U : whole.tokens.size() % 100);
            EXPECT_EQ(windows[i].special[0], i == 0);
            ids.insert(ids.end(), windows[i].ids.begin(), windows[i].ids.end());
        }
        EXPECT_EQ(ids, whole.ids());
        EXPECT_EQ(windows.back().document, 1U);
        EXPECT_EQ(windows.back().index, 0U);
        EXPECT_EQ(windows.back().ids, tokenizer->encode("Is it far?", policy).ids());
    }
}

TEST(Windows, CarryTheirTextWhereItIsAskedFor)
{
    const CorpusFolder folder;
    const std::string text = someText(400) + "\U0001F600\U0001F600" + someText(200, 5); // more than is read at once
    const auto tokenizer = openSentencePiece(demoTokenizer);
    for (const std::size_t around : {std::size_t{0}, std::size_t{40}, std::size_t{100'000}}) {
        for (const auto split : {TextPolicy::Split::Whole, TextPolicy::Split::Lines}) {
            const TextPolicy policy{.split = split, .documentSeparator = " mill"};
            auto reader = readerOf({folder.file("a", text), folder.file("b", "Is it far?")}, {},
                                   {.policy = policy, .length = 100, .textAround = around});
            const auto windows = windowsOf(reader);
            const auto tokens = tokenizer->encode(text + " mill", policy).tokens;
            std::size_t token = 0;
            for (const Window& window : windows) {
                if (window.document != 0)
                    break;
                const WindowText& part = window.text;
                ASSERT_EQ(part.spans.size(), window.ids.size());
                ASSERT_LE(part.begin + part.bytes.size(), text.size());
                EXPECT_EQ(part.bytes, text.substr(part.begin, part.bytes.size()));
                const std::size_t first = tokens[token].span.begin;
                EXPECT_EQ(part.begin, first - std::min(first, around));
                const std::size_t last = std::min(text.size(), tokens[token + window.ids.size() - 1].span.end);
                EXPECT_EQ(part.begin + part.bytes.size(), std::min(text.size(), last + around));
                for (std::size_t i = 0; i < window.ids.size(); ++i, ++token) {
                    const ByteRange span = tokens[token].span;
                    const bool crosses = span.begin < text.size() && span.end > text.size();
                    const bool ofText = crosses ? text.find_first_not_of(" \n", span.begin) < text.size() : span.begin < text.size();
                    EXPECT_EQ(window.counts[i], ofText);
                    if (!span.empty()) {
                        EXPECT_EQ(part.spans[i].end, std::min(text.size(), span.end));
                    }
                }
                EXPECT_EQ(part.file, 0U);
            }
            EXPECT_EQ(token, tokens.size());
            EXPECT_EQ(windows.back().text.bytes, "Is it far?");
            EXPECT_EQ(windows.back().text.file, 1U);
        }
    }
}

TEST(Windows, WordsAndTagsOfTokens)
{
    const CorpusFolder folder;
    const std::string text = "The mill's wheel.\n\nQuietly, the river";
    const auto files = findCorpusFiles(std::vector{folder.file("a", text)});
    const std::size_t second = text.find("Quietly");
    const auto tags = TagTable::read(folder.file("tags", "0\t17\told\n" + std::to_string(second) + "\t100\tnew\n"), files);
    WordNumbers numbers;
    const auto tokenizer = openSentencePiece(demoTokenizer);
    auto reader = readerOf({files[0].path}, {}, {.policy = {}, .length = 1000, .tags = &tags, .words = &numbers});
    ASSERT_TRUE(reader.nextDocument());
    const Window window = reader.next().value();
    const auto tokens = tokenizer->encode(text, {}).tokens;
    ASSERT_EQ(window.words.size(), tokens.size());
    std::string words; // of every token, in order
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string word = window.words[i] == noWord ? "-" : numbers.words()[window.words[i]];
        if (i == 0 || window.words[i] != window.words[i - 1])
            words += word + ' ';
        // A space alone lies where it lies: here between the two.
        const bool space = text.substr(tokens[i].span.begin, tokens[i].span.size()).find_first_not_of(" \n") == std::string::npos;
        EXPECT_EQ(tags.names()[window.tags[i]], space ? "" : tokens[i].span.end <= 17 ? "old" : "new") << tokens[i].piece;
    }
    EXPECT_EQ(words, "The mill - s wheel - Quietly - the river ");
}

TEST(Windows, TheSeparatorStandsBehindEveryDocument)
{
    const CorpusFolder folder;
    const auto files = findCorpusFiles(std::vector<std::filesystem::path>{folder.file("a", "Is it far?\nA mill")});
    const auto tags = TagTable::read(folder.file("tags", "0\t1000\tall\n"), files);
    WordNumbers numbers;
    const TextPolicy policy{.documentSeparator = "<STORY_SEP>"};
    const TextPolicy without;
    const auto tokenizer = openSentencePiece(demoTokenizer);
    auto reader = readerOf({files[0].path}, {DocumentSplit::Kind::Line, {}}, {.policy = policy, .length = 100, .tags = &tags, .words = &numbers});
    const auto windows = windowsOf(reader);
    ASSERT_EQ(windows.size(), 2U);
    EXPECT_EQ(windows[0].ids, tokenizer->encode("Is it far?<STORY_SEP>", without).ids());
    EXPECT_EQ(windows[1].ids, tokenizer->encode("A mill<STORY_SEP>", without).ids());
    EXPECT_EQ(windows[1].tags.front(), 1U);
    EXPECT_EQ(windows[1].tags.back(), 0U);
    EXPECT_EQ(windows[1].words.back(), noWord);
    EXPECT_THAT(numbers.words(), ElementsAre("Is", "it", "far", "A", "mill"));
}

TEST(Windows, SizesAndHashesOfDocuments)
{
    const CorpusFolder folder;
    const auto sizes = [&](const std::string& text) {
        auto reader = readerOf({folder.file("a", text)}, {DocumentSplit::Kind::Line, {}}, {.policy = {}, .length = 8});
        std::vector<CorpusHash> hashes;
        while (reader.nextDocument()) {
            while (reader.next()) {
            }
            hashes.push_back(reader.hash());
            EXPECT_EQ(reader.bytes(), 3U);
        }
        return hashes;
    };
    const auto ab = sizes("one\ntwo\n");
    const auto ba = sizes("two\n\none");
    ASSERT_EQ(ab.size(), 2U);
    ASSERT_EQ(ba.size(), 2U);
    EXPECT_EQ(ab[0], ba[1]);
    EXPECT_EQ(ab[0] + ab[1], ba[0] + ba[1]);
    EXPECT_NE(ab[0], ab[1]);
}

TEST(Windows, ReadingCanBeStopped)
{
    const CorpusFolder folder;
    std::stop_source stop;
    auto reader = readerOf({folder.file("a", someText(20))}, {}, {.policy = {}, .length = 8}, {.report = {}, .stop = stop.get_token()});
    ASSERT_TRUE(reader.nextDocument());
    stop.request_stop();
    EXPECT_THROW(reader.next(), Cancelled);
}

} // namespace
} // namespace headscope::core::testing
