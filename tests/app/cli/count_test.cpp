// SPDX-License-Identifier: GPL-3.0-or-later
// headscope count and headscope merge.
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string model = fixture("switchhead_xl");
const std::string text = "The café opens at 6:30.\nIs it far?\nThe mill is old, and it is far.\nNo one opens it.\n";

TEST(Count, WritesTheSameFileInOnePieceAndInParts)
{
    const OwnFolder folder;
    const std::string corpus = folder.file("corpus.txt", text);
    const auto count = [&](const std::string& out, Arguments more) {
        Arguments arguments{"count", model, corpus, "--documents", "line", "--words", "--out", folder.file(out)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    const Outcome whole = count("whole", {});
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.out, StartsWith(folder.file("whole")));
    EXPECT_THAT(whole.out, HasSubstr("tokens of 4 documents"));
    EXPECT_EQ(count("one", {"--part", "1/2"}).code, 0);
    EXPECT_THAT(count("two", {"--part", "2/2", "--threads", "2", "--batch", "3"}).out, HasSubstr("part 2 of 2"));
    const Outcome merged = run({"merge", folder.file("two"), folder.file("one"), "--out", folder.file("merged")});
    EXPECT_EQ(merged.code, 0) << merged.err;
    EXPECT_EQ(contents(folder.file("merged")), contents(folder.file("whole")));
    EXPECT_FALSE(fs::exists(folder.file("whole.partial")));
}

TEST(Count, AnInterruptedCountIsGoneOnWith)
{
    const OwnFolder folder;
    const std::string corpus = folder.file("corpus.txt", text);
    const std::string out = folder.file("out");
    EXPECT_THAT(refusal({"count", model, corpus, "--out", out, "--resume"}), HasSubstr("out.partial"));
    std::stop_source stop;
    stop.request_stop();
    const Outcome stopped = run({"count", model, corpus, "--out", out}, {}, stop.get_token());
    EXPECT_EQ(stopped.code, 130);
    EXPECT_THAT(stopped.out, IsEmpty());
    EXPECT_FALSE(fs::exists(out));
    folder.file("out.partial", "not a counts file");
    EXPECT_THAT(refusal({"count", model, corpus, "--out", out, "--resume"}), HasSubstr("out.partial"));
}

TEST(Count, WhatIsWrongIsSaid)
{
    const OwnFolder folder;
    const std::string corpus = folder.file("corpus.txt", text);
    const std::string out = folder.file("out");
    EXPECT_THAT(refusal({"count", model, folder.file("absent"), "--out", out}), HasSubstr("absent"));
    EXPECT_THAT(refusal({"count", model, corpus, "--out", folder.file("no/such")}), HasSubstr("--out"));
    EXPECT_THAT(refusal({"count", model, corpus, "--out", out, "--tags", folder.file("tags", "0\tx\n")}), HasSubstr("line 1"));
    EXPECT_THAT(refusal({"count", model, corpus, "--out", out, "--frequent", folder.file("ids", "1 x")}), HasSubstr("x"));
    EXPECT_THAT(refusal({"count", fixture("dense_xl"), corpus, "--out", out}), HasSubstr("routes nothing"));
    EXPECT_THAT(refusal({"merge", corpus, "--out", out}), HasSubstr("corpus.txt"));
    EXPECT_EQ(run({"count", model, corpus}).code, 2);
    EXPECT_EQ(run({"count", model, "--out", out}).code, 2);
    EXPECT_EQ(run({"count", model, corpus, "--out", out, "--part", "3/2"}).code, 2);
    EXPECT_EQ(run({"count", model, corpus, "--out", out, "--documents", "pages"}).code, 2);
    EXPECT_EQ(run({"merge", "--out", out}).code, 2);
    EXPECT_FALSE(fs::exists(out));
}

} // namespace
} // namespace headscope::app::testing
