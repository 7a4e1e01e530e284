// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli specialize: from a file of counts to tables.
#include "core/corpus/counts_file.h"
#include "tests/app/cli/driver.h"
#include "tests/core/stats/counts_builder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace headscope::app::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

class Specialize : public ::testing::Test
{
protected:
    Specialize() { core::writeCounts(counts, core::testing::awkwardCounts()); }
    std::string written(const std::string& name, Arguments more = {}) const
    {
        const std::string out = folder.file(name);
        Arguments arguments{"specialize", "--counts", counts, "--out", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        return contents(out);
    }

    OwnFolder folder;
    std::string counts = folder.file("small.counts");
};

TEST_F(Specialize, WritesTheFormatOfTheExtension)
{
    EXPECT_THAT(written("a.csv"), StartsWith("router,expert,id,token,n_te,n_t,n_e,N,lift,pmi,"));
    EXPECT_THAT(written("a.tsv"), StartsWith("router\texpert\tid\ttoken\t"));
    EXPECT_TRUE(Json::accept(written("a.json")));
    EXPECT_THAT(written("a.md"), HasSubstr("| Expert 0"));
    EXPECT_THAT(written("a.tex"), HasSubstr("\\toprule"));
    EXPECT_EQ(written("a.csv"), written("b.csv")); // nothing in it is of this run or this machine
}

TEST_F(Specialize, FiltersAndOrders)
{
    const auto rows = [&](const Arguments& more) { return Json::parse(written("a.json", more)).at("rows"); };
    EXPECT_EQ(rows({"--min-count", "0", "--top", "0"}).size(), 2U * core::testing::awkwardCounts().routers[0].pairs.size());
    EXPECT_EQ(rows({"--top", "1"}).size(), 10U);
    EXPECT_EQ(rows({"--top", "1", "--router", "layers.0.self.v"}).size(), 5U);
    EXPECT_EQ(rows({"--min-count", "1000"}).size(), 0U);
    const Json byCount = rows({"--sort", "n_te", "--router", "layers.*.v.h0"});
    EXPECT_GE(byCount.at(0).at("n_te"), byCount.at(1).at("n_te"));
    EXPECT_TRUE(rows({"--words"}).at(0).at("id").is_null());
    EXPECT_EQ(Json::parse(written("a.json", {"--note", "held out"})).at("about").at("corpus_note"), "held out");
    EXPECT_EQ(rows({"--table", "routers"}).size(), 2U);
    EXPECT_EQ(rows({"--weight", "gates"}).at(0).at("g2"), Json());
}

TEST_F(Specialize, PrintsTablesWithoutAFile)
{
    const Outcome outcome = run({"specialize", "--counts", counts});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("layers.0.self.v.h0: 2 of 5 experts"));
    EXPECT_THAT(outcome.out, HasSubstr("two\\nlines"));
}

TEST_F(Specialize, CountsByItselfWhatCountKeeps)
{
    const std::string model = HEADSCOPE_TEST_DATA "/demo/switchhead/model-1400.pth";
    const std::string corpus =
        folder.file("corpus.txt", "The cat sat on the mat.\n\nIt was a dark night, and the dog looked at the cat.\n");
    const Arguments counting{model, corpus, "--documents", "blank", "--words"};
    Arguments count{"count"};
    count.insert(count.end(), counting.begin(), counting.end());
    count.insert(count.end(), {"--out", folder.file("demo.counts")});
    ASSERT_EQ(run(count).code, 0);
    Arguments direct{"specialize"};
    direct.insert(direct.end(), counting.begin(), counting.end());
    direct.insert(direct.end(), {"--min-count", "0", "--out", folder.file("direct.json")});
    const Outcome outcome = run(direct);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_EQ(run({"specialize", "--counts", folder.file("demo.counts"), "--words", "--min-count", "0", "--out",
                   folder.file("kept.json")})
                  .code,
              0);
    EXPECT_EQ(contents(folder.file("direct.json")), contents(folder.file("kept.json")));
    EXPECT_EQ(Json::parse(contents(folder.file("kept.json"))).at("about").at("corpus_documents"), 2);
}

TEST_F(Specialize, WeightsAloneAgreeWithTheFirstLayer)
{
    // A router of the first layer reads nothing but the embedding: its best token is what it decides by.
    const std::string model = HEADSCOPE_TEST_DATA "/demo/switchhead/model-1400.pth";
    ASSERT_EQ(
        run({"specialize", model, "--table", "likes", "--router", "layers.0.self.v.h0", "--out", folder.file("likes.json")})
            .code,
        0);
    const Json rows = Json::parse(contents(folder.file("likes.json"))).at("rows");
    EXPECT_EQ(rows.size(), 5U * 4000);
    const Json trace = Json::parse(run({"trace", model, "--text", "The dark night", "--json"}).out);
    const Json& router = trace.at("routers").at(0);
    ASSERT_EQ(router.at("address"), "layers.0.self.v");
    for (std::size_t token = 0; token < trace.at("streams").at(0).at("ids").size(); ++token) {
        for (const Json& row : rows) {
            if (row.at("id") == trace.at("streams").at(0).at("ids").at(token)) {
                EXPECT_NEAR(row.at("score").get<double>(),
                            router.at("logits").at(token).at(0).at(row.at("expert").get<std::size_t>()).get<double>(), 1e-4);
            }
        }
    }
    ASSERT_EQ(run({"specialize", model, "--table", "alike", "--out", folder.file("alike.json")}).code, 0);
    const Json alike = Json::parse(contents(folder.file("alike.json"))).at("rows");
    EXPECT_EQ(alike.size(), 16U * 10);
    for (const Json& row : alike) {
        EXPECT_LT(std::abs(row.at("cosine_router").get<double>()), 1.0);
        EXPECT_LT(std::abs(row.at("cosine_experts").get<double>()), 1.0);
    }
    EXPECT_EQ(run({"specialize", model, "corpus.txt", "--table", "likes", "--out", folder.file("a.csv")}).code, 2);
}

TEST_F(Specialize, RefusesInASentence)
{
    EXPECT_THAT(refusal({"specialize", "--counts", folder.file("absent"), "--out", folder.file("a.csv")}),
                HasSubstr("absent"));
    EXPECT_THAT(refusal({"specialize", "--counts", counts, "--router", "layers.9.*", "--out", folder.file("a.csv")}),
                HasSubstr("layers.0.self.v"));
    EXPECT_THAT(refusal({"specialize", "--counts", folder.file("no.counts", "no counts")}), HasSubstr("no.counts"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.csv")));
    for (const Arguments& wrong : {Arguments{"--out", folder.file("a.xlsx")},
                                   {"--sort", "nothing"},
                                   {"--table", "experts"},
                                   {"--top", "-1"},
                                   {"--tags", "tags.tsv"},
                                   {"model.pth", "corpus.txt"}}) {
        Arguments line{"specialize", "--counts", counts};
        line.insert(line.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(run(line).code, 2) << wrong.front();
    }
    EXPECT_EQ(run({"specialize"}).code, 2);
    EXPECT_EQ(run({"specialize", "model.pth"}).code, 2);
}

} // namespace
} // namespace headscope::app::testing
