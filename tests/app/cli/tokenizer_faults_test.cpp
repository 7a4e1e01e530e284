// SPDX-License-Identifier: GPL-3.0-or-later
// A tokenizer that lies beside the checkpoint and is of no use: every command says why.
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(FaultD3, EveryCommandSaysWhyATokenizerIsOfNoUse)
{
    const OwnFolder folder;
    const std::string source = fixture("switchhead_xl");
    const std::string model = folder.file("model.pth");
    fs::copy(source, model);
    fs::copy(fs::path(source).parent_path() / "args.json", folder.file("args.json"));
    const std::string text = folder.file("text.txt", "a text");
    const std::vector<std::pair<std::string, std::string>> files{
        {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"}, {"<html>", "web page"}};
    for (const auto& [bytes, why] : files) {
        folder.file("tokenizer.model", bytes);
        const auto says = AllOf(HasSubstr("tokenizer.model"), HasSubstr(why), HasSubstr("--tokenizer"));
        EXPECT_THAT(refusal({"tokenize", model, "--text", "a"}), says);
        EXPECT_THAT(refusal({"trace", model, "--text", "a", "--json"}), says);
        EXPECT_THAT(refusal({"count", model, text, "--out", folder.file("out.counts")}), says);
        EXPECT_THAT(refusal({"specialize", model, text}), says);
        EXPECT_THAT(refusal({"contexts", model, text, "--router", "layers.0.self.v.h0", "--token", "a"}), says);
        EXPECT_THAT(refusal({"contexts", model, text, "--router", "layers.0.self.v.h0", "--word", "a"}), says);
        EXPECT_THAT(refusal({"compare", model, source, "--text", "a"}), says);
    }
}

TEST(FaultB9, ATextMayBeginWithAByteOrderMark)
{
    const OwnFolder folder;
    const std::string model = fixture("switchhead_xl");
    const std::string plain = folder.file("plain.txt", "Is it far?");
    const std::string marked = folder.file("marked.txt", "\xEF\xBB\xBFIs it far?");
    EXPECT_EQ(run({"tokenize", model, "--file", marked, "--json"}).out,
              run({"tokenize", model, "--file", plain, "--json"}).out);
    const std::string list = folder.file("list.txt", "\xEF\xBB\xBF"
                                                     "1 2");
    EXPECT_EQ(run({"count", model, plain, "--frequent", list, "--out", folder.file("out.counts")}).code, 0);
}

TEST(FaultB6, TheFieldOfJsonLinesIsAnOptionOfTheCommandsThatReadACorpus)
{
    const OwnFolder folder;
    const std::string model = fixture("switchhead_xl");
    const std::string lines = folder.file("a.jsonl", "{\"text\": \"Is it far?\"}\n");
    EXPECT_THAT(refusal({"count", model, lines, "--out", folder.file("out.counts")}),
                AllOf(HasSubstr("--json-field"), HasSubstr("\"text\"")));
    EXPECT_EQ(run({"count", model, lines, "--json-field", "text", "--out", folder.file("out.counts")}).code, 0);
    EXPECT_EQ(run({"specialize", model, lines, "--json-field", "text"}).code, 0);
    EXPECT_EQ(
        run({"contexts", model, lines, "--json-field", "text", "--router", "layers.0.self.v.h0", "--word", "far"}).code, 0);
}

TEST(FaultB7, WhatMaySurpriseIsSaid)
{
    const OwnFolder folder;
    const std::string text = folder.file("a.txt", "Is it far?\n\nA caf\xe9");
    const Outcome counted = run({"count", fixture("switchhead_xl"), text, text, "--out", folder.file("out.counts")});
    EXPECT_EQ(counted.code, 0);
    EXPECT_THAT(counted.err, AllOf(HasSubstr("counted once"), HasSubstr("not UTF-8")));
}

} // namespace
} // namespace headscope::app::testing
