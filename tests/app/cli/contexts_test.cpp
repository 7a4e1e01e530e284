// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli contexts: keyword in context on a terminal and in files.
#include "core/corpus/count_corpus.h"
#include "core/families/model.h"
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace headscope::app::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::string model = HEADSCOPE_TEST_DATA "/demo/switchhead/model-1400.pth";
constexpr const char* router = "layers.1.self.v.h1";

class ContextsCommand : public ::testing::Test
{
protected:
    Arguments line(const Arguments& more) const
    {
        Arguments arguments{"contexts", model, m_corpus, "--documents", "blank"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    std::string written(const std::string& name, Arguments more) const
    {
        more.insert(more.end(), {"--out", m_folder.file(name)});
        const Outcome outcome = run(line(more));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return contents(m_folder.file(name));
    }

    OwnFolder m_folder;
    std::string m_corpus =
        m_folder.file("corpus.txt", "The cat sat on the mat.\n=SUM(A1)\tthe cat\n\nIt was a dark night, and the dog looked "
                                    "at the cat.\n\nThe dog and the \xff cat, \U0001F600 the night.");
};

TEST_F(ContextsCommand, AgreesWithTheCounts)
{
    const auto opened = core::openModel(model);
    core::CountSettings how;
    how.corpus = {m_corpus};
    how.documents = {core::DocumentSplit::Kind::Blank, {}};
    const core::Counts counts = core::countCorpus(*opened, how);
    const auto& counted = *counts.find(*core::RouterAddress::parse(router));
    const auto& tokens = counts.streams[0].tokens;
    const auto row = static_cast<std::size_t>(std::ranges::find(tokens.pieces, "▁the") - tokens.pieces.begin());
    ASSERT_LT(row, tokens.size());
    for (std::size_t expert = 0; expert < 5; ++expert) {
        const Json json =
            Json::parse(written("a.json", {"--router", router, "--token", " the", "--expert", std::to_string(expert)}));
        const auto pair = counted.pairs.find(row, expert);
        std::uint64_t chosen = 0;
        for (const Json& context : json.at("rows")) {
            chosen += context.at("list") == "chosen" ? 1 : 0;
            EXPECT_EQ(context.at("token"), "▁the");
            EXPECT_EQ(context.at("id"), tokens.ids[row]);
            EXPECT_THAT(context.at("keyword").get<std::string>(), ::testing::AnyOf(" the", "\tthe")); // raw
        }
        EXPECT_EQ(chosen, pair ? counted.pairs.count[*pair] : 0);
        EXPECT_EQ(json.at("rows").size(), tokens.count[row]);
        EXPECT_EQ(json.at("about").at("n_t"), tokens.count[row]);
        EXPECT_EQ(json.at("about").at("corpus_hash"), core::toString(counts.streams[0].corpus.hash));
        EXPECT_EQ(json.at("about").at("expert"), expert);
        EXPECT_TRUE(json.at("about").at("checkpoint_fingerprint").get<std::string>().size() == 64);
    }
}

TEST_F(ContextsCommand, PrintsTheKeywordInTheMiddle)
{
    const Outcome outcome = run(line({"--router", router, "--token", "▁cat"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith(std::string(router) + ", token ▁cat: found 4 times in 3 windows\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\\xff cat], \U0001F600 the night."));
    EXPECT_THAT(outcome.out, HasSubstr("(A1)\\tthe [cat]\n"));
    std::istringstream lines(outcome.out);
    std::string text;
    std::set<std::size_t> columns;
    while (std::getline(lines, text))
        if (const auto place = text.find(" ["); place != std::string::npos)
            columns.insert(place);
    EXPECT_EQ(columns.size(), 1U) << outcome.out;
}

TEST_F(ContextsCommand, ListsCounterExamplesAndSaysWhatWasFound)
{
    const Outcome word =
        run(line({"--router", router, "--word", "the", "--fold-case", "--expert", "1", "--limit", "2", "--windows", "1"}));
    EXPECT_EQ(word.code, 0) << word.err;
    EXPECT_THAT(word.out,
                HasSubstr("word the, upper and lower case as one: found 8 times in 3 windows; 1 of the windows were run"));
    EXPECT_THAT(word.out, HasSubstr("expert 1 was chosen at "));
    const Outcome none = run(line({"--router", router, "--word", "hippopotamus"}));
    EXPECT_EQ(none.code, 0);
    EXPECT_THAT(none.out, HasSubstr("found nowhere among"));
    const Outcome pooled = run(line({"--router", "layers.1.self.v.*", "--word", "cat", "--windows", "all"}));
    EXPECT_THAT(pooled.out, HasSubstr("layers.1.self.v.* (2 routers added up)"));
}

TEST_F(ContextsCommand, WritesTheFormatOfTheExtension)
{
    const Arguments what{"--router", router, "--token", "▁the", "--expert", "0"};
    EXPECT_THAT(written("a.csv", what), StartsWith("router,expert,id,token,list,gate,"));
    EXPECT_THAT(written("a.tsv", what), StartsWith("router\texpert\tid\ttoken\t"));
    EXPECT_THAT(written("a.md", what), HasSubstr("| It was a dark night, and | ␣the |  dog looked at the cat. |"));
    EXPECT_THAT(written("a.tex", what), HasSubstr("\\toprule"));
    EXPECT_EQ(written("a.csv", what), written("b.csv", what));
    // Text cells are made safe for spreadsheets and stay raw in JSON.
    const Arguments equals{"--router", router, "--id",
                           std::to_string(core::openModel(model)->tokenize("cat\n=SUM").tokens[2].id)};
    const Json json = Json::parse(written("a.json", equals));
    ASSERT_FALSE(json.at("rows").empty());
    const std::string keyword = json.at("rows").at(0).at("keyword");
    if (keyword.starts_with('=')) {
        EXPECT_THAT(written("a.csv", equals), HasSubstr("'="));
    }
}

TEST_F(ContextsCommand, RefusesWhatMakesNoSense)
{
    const auto wrong = [&](const Arguments& more) {
        const Outcome outcome = run(line(more));
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        return outcome.err;
    };
    EXPECT_THAT(wrong({"--router", router}), HasSubstr("--token PIECE, --id N or --word WORD"));
    EXPECT_THAT(wrong({"--token", "a"}), HasSubstr("--router"));
    EXPECT_THAT(wrong({"--router", router, "--token", "a", "--id", "5"}), HasSubstr("--id"));
    EXPECT_THAT(wrong({"--router", router, "--token", "a", "--windows", "some"}), HasSubstr("--windows takes"));
    EXPECT_THAT(wrong({"--router", router, "--token", "a", "--out", "a.xls"}), HasSubstr(".csv"));
    EXPECT_THAT(refusal(line({"--router", router, "--token", "nonono"})), HasSubstr("no token nonono"));
    EXPECT_THAT(refusal(line({"--router", router, "--id", "4000"})), HasSubstr("no token 4000"));
    EXPECT_THAT(refusal(line({"--router", router, "--id", "4", "--expert", "9"})), HasSubstr("no expert 9"));
    EXPECT_THAT(refusal(line({"--router", "layers.99.*", "--id", "4"})), HasSubstr("layers.99"));
}

} // namespace
} // namespace headscope::app::testing
