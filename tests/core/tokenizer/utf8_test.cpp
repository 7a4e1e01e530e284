// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace headscope::core;

std::string repaired(std::string_view text)
{
    return std::string(ValidUtf8(text).text());
}

TEST(Utf8, ValidTextStays)
{
    for (const std::string text : {"", "abc", "é한💩", "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBD"})
        EXPECT_EQ(repaired(text), text);
    EXPECT_EQ(repaired(std::string("\0a\0", 3)), std::string("\0a\0", 3));
}

// Examples of the Unicode standard, section 3.9: one U+FFFD for each maximal subpart.
TEST(Utf8, EveryInvalidPartBecomesOneReplacement)
{
    EXPECT_EQ(repaired("a\xF1\x80\x80\xE1\x80\xC2"
                       "b\x80"
                       "c\x80\xBF"
                       "d"),
              "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    EXPECT_EQ(repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82"
                       "A"),
              "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"); // overlong
    EXPECT_EQ(repaired("\xED\xA0\x80\xED\xBF\xBF\xED\xAF"
                       "A"),
              "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"); // surrogates
    EXPECT_EQ(repaired("\xF4\x91\x92\x93\xFF"
                       "A\x80\xBF"
                       "B"),
              "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB");
    EXPECT_EQ(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
                       "A"),
              "\uFFFD\uFFFD\uFFFD\uFFFDA"); // cut short
    EXPECT_EQ(repaired("\xF0\x9F\x92"), "\uFFFD");
}

TEST(Utf8, WalkLeadsBackToTheOriginal)
{
    const std::string original = "\xFF"
                                 "a\xE2\x82"
                                 "b\xF0\x9F\x92"; // 1 a 2 b 3
    const ValidUtf8 valid(original);
    ASSERT_EQ(valid.text(), "\uFFFDa\uFFFDb\uFFFD");
    ValidUtf8::Walk walk(valid);
    const std::size_t places[][2]{{0, 0}, {3, 1}, {3, 1}, {4, 2}, {7, 4}, {8, 5}, {11, 8}};
    for (const auto& [place, expected] : places)
        EXPECT_EQ(walk.original(place), expected) << place;
    ValidUtf8::Walk jump(valid);
    EXPECT_EQ(jump.original(11), 8U);
}

TEST(Utf8, CodePoints)
{
    EXPECT_EQ(utf8CodePoint("a"), U'a');
    EXPECT_EQ(utf8CodePoint("é"), U'é');
    EXPECT_EQ(utf8CodePoint("▁"), U'▁');
    EXPECT_EQ(utf8CodePoint("💩"), U'💩');
}

} // namespace
