// SPDX-License-Identifier: GPL-3.0-or-later
// Every way a text can come in, empty and hostile ones included.
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace headscope::app::testing {
namespace {

using nlohmann::json;

const std::string model = fixture("switchhead_xl");

json tokenized(const Arguments& text, const std::string& input = {})
{
    Arguments line{"tokenize", model, "--json"};
    line.insert(line.end(), text.begin(), text.end());
    const Outcome outcome = run(line, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
}

TEST(Texts, EmptyOnesHaveNoTokens)
{
    const OwnFolder folder;
    for (const Arguments& text : {Arguments{"--text", ""}, {"--text="}, {"--file", folder.file("empty", "")}, {"--file", "-"}})
        EXPECT_EQ(tokenized(text)["ids"], json::array()) << ::testing::PrintToString(text);
    for (const Arguments& text : {Arguments{"--text", ""}, {"--text="}, {"--ids", ""}, {"--ids="}, {"--ids", " , "}}) {
        Arguments line{"trace", model, "--json", "--attention", "all", "--logits", "--predictions", "2"};
        line.insert(line.end(), text.begin(), text.end());
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(json::parse(outcome.out)["streams"][0]["ids"], json::array());
    }
    EXPECT_EQ(run({"trace", model, "--text", ""}).code, 0);
}

TEST(Texts, WhatFollowsTheOptionIsTheText)
{
    for (const std::string text : {"--json", "--text", "-", "-x", "--foo=", "--", "info", "[a]", "{}", "%%", "'", "a=b"}) {
        EXPECT_EQ(tokenized({"--text", text})["text"], text);
        EXPECT_EQ(tokenized({"--text=" + text})["text"], text);
    }
}

TEST(Texts, FilesAreReadAsBytes)
{
    const OwnFolder folder;
    for (const std::string& bytes : {std::string("a\r\nb\n"), std::string("a\0b", 3), std::string("a \xef\xbb\xbf" "bom"),
                                     std::string("\xc2\xa0\xe2\x80\xa8")}) {
        EXPECT_EQ(tokenized({"--file", folder.file("text", bytes)})["text"], bytes);
        EXPECT_EQ(tokenized({"--file", "-"}, bytes)["text"], bytes);
    }
    // But a mark at the beginning, which belongs to the file.
    EXPECT_EQ(tokenized({"--file", folder.file("text", "\xef\xbb\xbf" "bom")})["text"], "bom");
}

TEST(Texts, BrokenUtf8StaysExactBesideWhatIsShown)
{
    const OwnFolder folder;
    const json read = tokenized({"--file", folder.file("text", "a\xff" "b")});
    EXPECT_EQ(read["text"], "a\xef\xbf\xbd" "b");
    EXPECT_EQ(read["textBase64"], "Yf9i");
}

TEST(Texts, SpansAndGapsTileEveryText)
{
    const OwnFolder folder;
    for (const std::string& bytes : {std::string(" "), std::string("\n\n"), std::string("  two  spaces  "), std::string("</s><unk>"),
                                     std::string("\x1b[31m"), std::string("\xec\x9e\xa0 \xea\xb9\xb0"), std::string("\xf0\x9f\x92\xa9\xf0\x9f\x92\xa9"),
                                     std::string("\xe2\x80\xae" "abc"), std::string("\xff\xfe\xfd"), std::string("a<b<c")}) {
        const json read = tokenized({"--file", folder.file("text", bytes)});
        std::vector<std::pair<std::size_t, std::size_t>> ranges;
        for (const char* name : {"spans", "gaps"}) {
            for (const json& range : read[name]) {
                if (range[0] != range[1])
                    ranges.emplace_back(range[0], range[1]);
            }
        }
        std::sort(ranges.begin(), ranges.end());
        std::size_t at = 0;
        for (const auto& [begin, end] : ranges) {
            EXPECT_EQ(begin, at);
            at = end;
        }
        EXPECT_EQ(at, bytes.size());
        EXPECT_EQ(read["ids"].size(), read["pieces"].size());
        EXPECT_EQ(read["ids"].size(), read["special"].size());
    }
}

TEST(Texts, TheTableIsOneLinePerToken)
{
    const Outcome outcome = run({"tokenize", model, "--text", "a\nb\x1b\xe2\x80\xae"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(outcome.out.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(static_cast<std::size_t>(std::count(outcome.out.begin(), outcome.out.end(), '\n')),
              1 + tokenized({"--text", "a\nb\x1b\xe2\x80\xae"})["ids"].size());
}

TEST(Texts, IdListsTakeCommasAndSpaces)
{
    for (const std::string list : {"15,126,157", "15 126 157", " 15, 126,\n157,", "015\t126 157"}) {
        const Outcome outcome = run({"trace", model, "--json", "--ids", list});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(json::parse(outcome.out)["streams"][0]["ids"], json({15, 126, 157}));
    }
}

TEST(Texts, PredictionsAreNoMoreThanThereAreWords)
{
    const Outcome outcome = run({"trace", model, "--json", "--ids", "15", "--predictions", "1000"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["predictions"]["ids"][0].size(), 192U);
}

TEST(Texts, ThePolicyCanBeOverridden)
{
    const json whole = tokenized({"--text", "a\nb", "--text-policy", "whole"});
    const json lines = tokenized({"--text", "a\nb", "--text-policy", "lines"});
    EXPECT_EQ(whole["textPolicy"]["split"], "whole");
    EXPECT_EQ(lines["textPolicy"]["split"], "lines");
    EXPECT_EQ(lines["gaps"], json::parse("[[1, 2]]"));
    EXPECT_EQ(lines["textPolicy"]["documentSeparator"], "");
    const json separated = tokenized({"--text", "a", "--document-separator", "<END>"});
    EXPECT_EQ(separated["textPolicy"]["documentSeparator"], "<END>");
    EXPECT_EQ(separated["ids"], tokenized({"--text", "a"})["ids"]);
}

} // namespace
} // namespace headscope::app::testing
