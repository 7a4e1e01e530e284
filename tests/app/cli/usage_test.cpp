// SPDX-License-Identifier: GPL-3.0-or-later
// Malformed lines end with 2 before anything is opened: the model of these lines does not exist.
#include "app/cli/command_line.h"
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>

#include <vector>

namespace headscope::app::testing {
namespace {

using ::testing::HasSubstr;

TEST(Usage, HelpGoesToStandardOutput)
{
    for (const Arguments& line : {Arguments{"--help"}, {"-h"}, {"info", "--help"}, {"tokenize", "--help"}, {"trace", "-h"}, {"specialize", "--help"}, {"contexts", "--help"}}) {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 0);
        EXPECT_THAT(outcome.out, HasSubstr("Usage: headscope-cli"));
        EXPECT_EQ(outcome.err, "");
    }
}

TEST(Usage, HelpNamesEveryCommandAndOption)
{
    const std::string all = run({"--help"}).out;
    for (const char* command : {"contexts", "info", "specialize", "tokenize", "trace"})
        EXPECT_THAT(all, HasSubstr(command));
    const std::string trace = run({"trace", "--help"}).out;
    for (const char* option : {"--text", "--file", "--ids", "--target", "--target-file", "--target-ids", "--device", "--dtype", "--attention",
                               "--logits", "--out", "--json", "--family", "--tokenizer", "--text-policy", "--document-separator", "--sidecar", "--weights", "--predictions",
                               "--router"})
        EXPECT_THAT(trace, HasSubstr(option));
}

TEST(Usage, Version)
{
    const Outcome outcome = run({"--version"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, "Headscope " + std::string(version()) + "\n");
}

TEST(Usage, MalformedLinesEndWithTwo)
{
    const std::vector<Arguments> lines{
        {},
        {"frobnicate"},
        {"--frobnicate"},
        {"--json", "info", "absent.pth"},
        {"info"},
        {"info", "absent.pth", "another.pth"},
        {"info", "absent.pth", "--frobnicate"},
        {"info", "absent.pth", "--family"},
        {"info", "absent.pth", "--text-policy", "words"},
        {"tokenize", "absent.pth"},
        {"tokenize", "absent.pth", "--text"},
        {"tokenize", "absent.pth", "--text", "a", "--file", "b"},
        {"tokenize", "absent.pth", "--text", "a", "--text", "b"},
        {"tokenize", "absent.pth", "--ids", "1"},
        {"trace", "absent.pth"},
        {"trace", "--text", "a"},
        {"trace", "absent.pth", "--text", "a", "--ids", "1"},
        {"trace", "absent.pth", "--ids", "1,two"},
        {"trace", "absent.pth", "--ids", "1.5"},
        {"trace", "absent.pth", "--ids", "-"},
        {"trace", "absent.pth", "--ids", "1", "--target", "a", "--target-ids", "1"},
        {"trace", "absent.pth", "--ids", "1", "--target-ids", "x"},
        {"trace", "absent.pth", "--text", "a", "--json", "--out", "x"},
        {"trace", "absent.pth", "--text", "a", "--out", ""},
        {"trace", "absent.pth", "--text", "a", "--dtype", "float8"},
        {"trace", "absent.pth", "--text", "a", "--json", "--predictions", "-1"},
        {"trace", "absent.pth", "--text", "a", "--json", "--predictions", "many"},
        {"trace", "absent.pth", "--text", "a", "--attention", "all"},
        {"trace", "absent.pth", "--text", "a", "--json", "--router", "all"},
    };
    for (const Arguments& line : lines) {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 2) << ::testing::PrintToString(line) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST(Usage, TheWindowKeepsItsLines)
{
    const auto isCommand = [](std::vector<std::string> words) {
        std::vector<char*> argv;
        for (std::string& word : words)
            argv.push_back(word.data());
        return isCommandLine(static_cast<int>(argv.size()), argv.data());
    };
    EXPECT_FALSE(isCommand({"headscope"}));
    EXPECT_FALSE(isCommand({"headscope", fixture("switchhead_xl")}));
    EXPECT_TRUE(isCommand({"headscope", "info"}));
    EXPECT_TRUE(isCommand({"headscope", "--help"}));
    EXPECT_TRUE(isCommand({"headscope", "--version"}));
}

} // namespace
} // namespace headscope::app::testing
