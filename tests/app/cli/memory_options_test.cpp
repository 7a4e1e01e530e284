// SPDX-License-Identifier: GPL-3.0-or-later
// --memory-blocks and --segment: taken by every command that runs a model, refused where there is no memory, and said in
// every file.
#include "core/corpus/counts_file.h"
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace headscope::app::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string text =
    "The café opens at 6:30, and no one is here. The old mill runs quietly past the river; a wheel turns in the water.";

json evaluationOf(int blocks, int segment)
{
    return {{"memoryBlocks", blocks}, {"segment", segment}, {"sameLength", false}, {"lastLayerMemory", false}};
}

json traced(const Arguments& more)
{
    Arguments arguments{"trace", fixture("switchhead_xl_memory"), "--json", "--text", text};
    arguments.insert(arguments.begin() + 2, more.begin(), more.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
}

TEST(EvaluationModeOnTheLine, TracesAreAsChosen)
{
    const json own = traced({});
    EXPECT_EQ(own["settings"]["evaluation"], evaluationOf(1, 10));
    const json none = traced({"--memory-blocks", "0"});
    EXPECT_EQ(none["settings"]["evaluation"], evaluationOf(0, 10));
    EXPECT_NE(none["loss"], own["loss"]);
    EXPECT_EQ(traced({"--memory-blocks", "1", "--segment", "10"})["loss"], own["loss"]);
    const json longer = traced({"--memory-blocks", "4", "--segment", "7"});
    EXPECT_EQ(longer["settings"]["evaluation"], evaluationOf(4, 7));
    EXPECT_NE(longer["loss"], own["loss"]);
    EXPECT_THAT(longer["settings"]["notes"].dump(),
                HasSubstr("Run with 4 memory blocks and segments of 7 tokens, as chosen"));
    EXPECT_THAT(run({"trace", fixture("switchhead_xl_memory"), "--memory-blocks", "2", "--text", text}).out,
                HasSubstr("2 memory blocks, segments of 10 tokens"));
}

TEST(EvaluationModeOnTheLine, FilesSayIt)
{
    const OwnFolder folder;
    const std::string corpus = folder.file("corpus.txt", text + "\n" + text + " It is far.\n");
    const std::string model = fixture("switchhead_xl_memory");
    const auto counted = [&](const std::string& out, const Arguments& more) {
        Arguments arguments{"count", model, corpus, "--out", folder.file(out)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_THAT(counted("own", {}), HasSubstr("window 10; 1 memory block, segments of 10 tokens"));
    EXPECT_THAT(counted("none", {"--memory-blocks", "0"}), HasSubstr("window 10; 0 memory blocks"));
    EXPECT_THAT(counted("long", {"--segment", "16", "--memory-blocks", "2"}),
                HasSubstr("window 16; 2 memory blocks, segments of 16 tokens"));
    EXPECT_EQ(core::readCounts(folder.file("own")).basis.evaluation, (core::EvaluationMode{1, 10, false, false}));
    EXPECT_EQ(core::readCounts(folder.file("long")).basis.evaluation, (core::EvaluationMode{2, 16, false, false}));
    EXPECT_NE(core::readCounts(folder.file("own")).routers[7].selections,
              core::readCounts(folder.file("none")).routers[7].selections);

    EXPECT_THAT(refusal({"merge", folder.file("own"), folder.file("none"), "--out", folder.file("sum")}),
                HasSubstr("the memory blocks (--memory-blocks)"));
    const Outcome compared = run(
        {"compare", "--counts-a", folder.file("own"), "--counts-b", folder.file("none"), "--out", folder.file("c.json")});
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_THAT(
        compared.err,
        HasSubstr("The two were not run alike: A with 1 memory block, segments of 10 tokens, B with 0 memory blocks"));
    EXPECT_EQ(json::parse(contents(folder.file("c.json")))["about"]["a_memory_blocks"], 1);

    EXPECT_EQ(run({"specialize", "--counts", folder.file("long"), "--min-count", "1", "--out", folder.file("s.json")}).code,
              0);
    const json about = json::parse(contents(folder.file("s.json")))["about"];
    EXPECT_EQ(about["memory_blocks"], 2);
    EXPECT_EQ(about["segment"], 16);
    EXPECT_EQ(about["same_length"], 0);
    const Arguments contexts{"contexts", model, corpus,  "--memory-blocks",    "0", "--router", "layers.1.self.o.h0",
                             "--word",   "the", "--out", folder.file("x.json")};
    EXPECT_EQ(run(contexts).code, 0);
    EXPECT_EQ(json::parse(contents(folder.file("x.json")))["about"]["memory_blocks"], 0);
}

TEST(EvaluationModeOnTheLine, OneOrBothOfTwo)
{
    const OwnFolder folder;
    const auto compared = [&](const Arguments& more) {
        Arguments arguments{"compare",
                            fixture("switchhead_xl_memory"),
                            fixture("switchhead_xl_memory"),
                            "--null",
                            "0",
                            "--bootstrap",
                            "0",
                            "--out",
                            folder.file("c.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"--text", text});
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return json::parse(contents(folder.file("c.json")));
    };
    const json both = compared({"--memory-blocks", "2"});
    EXPECT_EQ(both["a"]["evaluation"], evaluationOf(2, 10));
    EXPECT_EQ(both["b"]["evaluation"], evaluationOf(2, 10));
    const json each = compared({"--memory-blocks", "2", "--memory-blocks-b", "0", "--segment-a", "6"});
    EXPECT_EQ(each["a"]["evaluation"], evaluationOf(2, 6));
    EXPECT_EQ(each["b"]["evaluation"], evaluationOf(0, 10));
    EXPECT_NE(each["loss"]["bitsPerByteA"], each["loss"]["bitsPerByteB"]);
}

TEST(EvaluationModeOnTheLine, WhatMakesNoSenseIsRefused)
{
    const std::string package = HEADSCOPE_TEST_DATA "/fixtures/switchhead_package";
    EXPECT_THAT(refusal({"trace", package, "--memory-blocks", "1", "--ids", "1,2,3"}),
                AllOf(HasSubstr("neither segments nor memory"), HasSubstr("--memory-blocks")));
    EXPECT_THAT(refusal({"trace", package, "--segment", "8", "--ids", "1,2,3"}), HasSubstr("--segment"));
    EXPECT_EQ(run({"trace", fixture("switchhead_xl"), "--memory-blocks", "-1", "--ids", "1,2"}).code, 2);
    EXPECT_EQ(run({"trace", fixture("switchhead_xl"), "--segment", "0", "--ids", "1,2"}).code, 2);
    EXPECT_THAT(refusal({"trace", fixture("switchhead_xl"), "--segment", "99999999999", "--ids", "1,2"}),
                HasSubstr("not possible"));
    EXPECT_EQ(run({"info", fixture("switchhead_xl"), "--segment", "8"}).code, 2); // runs nothing
    const OwnFolder folder;
    EXPECT_EQ(run({"specialize", "--counts", folder.file("x.counts", ""), "--memory-blocks", "1"}).code, 2);
}

TEST(FaultB11, TraceSaysWhereItsLossIsAboveThatOfAGuess)
{
    const OwnFolder folder;
    const std::string said = "above the 5.26 of a uniform guess among 192 tokens";
    EXPECT_THAT(run({"trace", fixture("switchhead_xl"), "--text", text}).err, HasSubstr(said)); // its weights are random
    EXPECT_THAT(run({"trace", fixture("switchhead_xl"), "--text", text, "--out", folder.file("t")}).err, HasSubstr(said));
    EXPECT_THAT(run({"trace", fixture("switchhead_xl"), "--text", "The"}).err, Not(HasSubstr("uniform guess")));
    const std::string trained = HEADSCOPE_TEST_DATA "/demo/switchhead/model-1400.pth";
    const std::string tokenizer = HEADSCOPE_TEST_DATA "/demo/tokenizer.model";
    EXPECT_THAT(run({"trace", trained, "--tokenizer", tokenizer, "--text", text}).err, Not(HasSubstr("uniform guess")));
    const Outcome compared = run({"compare", trained, fixture("switchhead_xl"), "--tokenizer-a", tokenizer, "--null", "0",
                                  "--bootstrap", "0", "--text", text});
    EXPECT_THAT(compared.err, AllOf(HasSubstr("B: The mean loss of this text"), Not(HasSubstr("A: The mean loss"))));
}

} // namespace
} // namespace headscope::app::testing
