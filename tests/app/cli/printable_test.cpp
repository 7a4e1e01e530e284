// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/printable.h"
#include "app/cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace headscope::app {
namespace {

TEST(Printable, LeavesTextsAlone)
{
    for (const char* text : {"", "plain", "▁The", "é", "잠 깰 수", "💩", "של", "a\\b", "=1+1", "\"quoted\""})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatDrivesATerminal)
{
    EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
    EXPECT_EQ(printable(std::string_view("\0\x1b[31m\x7f", 7)), "\\x00\\x1b[31m\\x7f");
    EXPECT_EQ(printable("\xe2\x80\xae"), "\\u{202e}");
    EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u{2028}");
    EXPECT_EQ(printable("\xc2\x9b"), "\\u{9b}");
    EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
}

TEST(Printable, WidthsAreThoseOfATerminal)
{
    EXPECT_EQ(displayWidth("abc"), 3U);
    EXPECT_EQ(displayWidth("잠"), 2U);
    EXPECT_EQ(displayWidth("e\xcc\x81"), 1U);
    EXPECT_EQ(shortened("abcdef", 4), "abc…");
    EXPECT_EQ(shortened("잠잠잠", 4), "잠…");
    EXPECT_EQ(shortened("abcd", 4), "abcd");
}

TEST(Table, AlignsColumns)
{
    Table table({{"n", Table::Align::Right}, {"piece"}, {""}});
    table.add({"9", "잠", "x"});
    table.add({"10", "abc", ""});
    std::ostringstream out;
    table.print(out, "  ");
    EXPECT_EQ(out.str(), "   n  piece\n   9  잠     x\n  10  abc\n");
}

} // namespace
} // namespace headscope::app
