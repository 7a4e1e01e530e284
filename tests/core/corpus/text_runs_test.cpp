// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/text_runs.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

using Kind = TextRuns::Kind;

/// All runs but white space, as "word" or "." for punctuation.
std::vector<std::string> runsOf(std::string_view text, std::size_t bytesAtATime)
{
    TextRuns runs;
    for (std::size_t place = 0; place < text.size(); place += bytesAtATime)
        runs.add(text.substr(place, bytesAtATime));
    runs.finish();
    EXPECT_EQ(runs.known(), text.size());
    std::vector<std::string> found;
    for (std::uint64_t place = 0; place < text.size();) {
        const auto* const run = runs.firstIn(place, text.size());
        if (run == nullptr)
            break;
        found.push_back(run->kind == Kind::Word ? run->word : ".");
        place = run->end;
    }
    return found;
}

TEST(TextRuns, BordersAreWhiteSpaceAndPunctuation)
{
    const std::string text = " One's  café—42%\u00A0naïve…\n\u3000日本。x";
    for (const std::size_t bytes : {1U, 2U, 3U, 100U})
        EXPECT_THAT(runsOf(text, bytes), ::testing::ElementsAre("One", ".", "s", "café", ".", "42", ".", "naïve", ".", "日本", ".", "x")) << bytes;
}

TEST(TextRuns, BrokenCharactersBelongToWords)
{
    const std::string text = "a\xff\xe2\x96 b\xe2\x96";
    for (const std::size_t bytes : {1U, 2U, 100U})
        EXPECT_THAT(runsOf(text, bytes), ::testing::ElementsAre("a\xff\xe2\x96", "b\xe2\x96")) << bytes;
}

TEST(TextRuns, LongWordsAreKnownByTheirBeginning)
{
    TextRuns runs;
    const std::string word(5000, 'x');
    runs.add(word);
    EXPECT_GE(runs.known(), 3000U) << "a word without an end does not hold everything up";
    runs.finish();
    const std::string shown = word.substr(0, TextRuns::mostWordBytes) + "…";
    EXPECT_EQ(runs.firstIn(0, 1)->word, shown);
    EXPECT_EQ(runs.firstIn(4999, 5000)->word, shown);
}

TEST(TextRuns, TheFirstByteThatIsNotWhiteSpace)
{
    TextRuns runs;
    runs.add("  ab ,c");
    runs.finish();
    EXPECT_EQ(runs.firstIn(0, 2), nullptr);
    EXPECT_EQ(runs.firstIn(1, 3)->word, "ab");
    EXPECT_EQ(runs.firstIn(3, 4)->word, "ab");
    EXPECT_EQ(runs.firstIn(4, 7)->kind, Kind::Punctuation);
    EXPECT_EQ(runs.firstIn(6, 7)->word, "c");
}

} // namespace
} // namespace headscope::core
