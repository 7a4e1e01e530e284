// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli compare and series.
#include "core/corpus/counts_file.h"
#include "core/export/report.h"
#include "tests/app/cli/driver.h"
#include "tests/core/stats/counts_builder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace headscope::app::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

const std::string text =
    "Two models read the same sentence, and what their experts do with every token of it is held side by side.";

class Compare : public ::testing::Test
{
protected:
    Arguments line(const std::string& a, const std::string& b, const Arguments& more) const
    {
        Arguments arguments{"compare", fixture(a), fixture(b), "--text", text, "--null", "20", "--bootstrap", "20"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    std::string written(const std::string& a, const std::string& b, const std::string& name, Arguments more = {}) const
    {
        const std::string out = folder.file(name);
        more.insert(more.end(), {"--out", out});
        const Outcome outcome = run(line(a, b, more));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        return contents(out);
    }
    OwnFolder folder;
};

TEST_F(Compare, AgainstItselfEveryDifferenceIsNone)
{
    for (const char* matching : {"auto", "identity", "coselection", "weights"}) {
        const Json all = Json::parse(written("switchhead_xl", "switchhead_xl", "a.json", {"--match", matching}));
        EXPECT_EQ(all.at("format"), "headscope comparison");
        EXPECT_EQ(all.at("text"), text);
        EXPECT_DOUBLE_EQ(all.at("agreement").get<double>(), 1) << matching;
        EXPECT_FALSE(all.at("routers").empty());
        for (const Json& router : all.at("routers")) {
            EXPECT_EQ(router.at("a"), router.at("b")) << matching;
            EXPECT_DOUBLE_EQ(router.at("agreement").get<double>(), 1);
            EXPECT_DOUBLE_EQ(router.at("loadDivergence").get<double>(), 0);
            EXPECT_EQ(router.at("tokens").size(), all.at("tokens").size());
            EXPECT_TRUE(router.at("null").contains("low"));
            EXPECT_EQ(router.at("interval").size(), 2U);
        }
        for (const Json& token : all.at("tokens")) {
            EXPECT_EQ(token.at("lossA"), token.at("lossB"));
            EXPECT_NEAR(token.at("divergence").get<double>(), 0, 1e-6);
        }
        EXPECT_EQ(all.at("cost").at("a"), all.at("cost").at("b"));
        EXPECT_EQ(all.at("a").at("fingerprint"), all.at("b").at("fingerprint"));
    }
}

TEST_F(Compare, TokensTileTheTextInOrder)
{
    const Json all = Json::parse(written("switchhead_xl", "moa_mode_my", "a.json"));
    std::size_t end = 0;
    for (const Json& token : all.at("tokens")) {
        EXPECT_GE(token.at("begin").get<std::size_t>(), end);
        end = token.at("end").get<std::size_t>();
        EXPECT_EQ(token.at("text"),
                  text.substr(token.at("begin").get<std::size_t>(), end - token.at("begin").get<std::size_t>()));
    }
    EXPECT_EQ(end, text.size());
    for (const Json& router : all.at("routers"))
        EXPECT_THAT(router.at("b").get<std::string>(), HasSubstr(".qo"));
    EXPECT_GT(all.at("tokens").at(0).at("divergence").get<double>(), 0);
    EXPECT_FALSE(all.at("onlyA").empty()); // what the other does not route
}

TEST_F(Compare, WritesTablesOfEveryKindAndFormat)
{
    EXPECT_THAT(written("switchhead_xl", "switchall_xl", "r.csv"), StartsWith("a,b,experts_a,"));
    EXPECT_THAT(written("switchhead_xl", "switchall_xl", "t.tsv", {"--table", "tokens"}), StartsWith("begin\tend\ttext\t"));
    EXPECT_THAT(written("switchhead_xl", "switchall_xl", "e.md", {"--table", "experts"}), StartsWith("| a |"));
    EXPECT_THAT(written("switchhead_xl", "switchall_xl", "c.tex", {"--table", "cost"}), HasSubstr("\\toprule"));
    EXPECT_EQ(written("switchhead_xl", "switchall_xl", "one.csv"),
              written("switchhead_xl", "switchall_xl", "two.csv")); // the seed decides
    const std::string cost =
        written("switchhead_xl", "switchall_xl", "l.csv", {"--table", "cost", "--length", "100", "--memory", "50"});
    EXPECT_THAT(cost, HasSubstr(",100,50,"));
}

TEST_F(Compare, AttentionMapsRowByRow)
{
    const Json same = Json::parse(written("switchhead_xl", "switchhead_xl", "a.json", {"--attention"}));
    EXPECT_EQ(same.at("attention").size(), 4U); // two heads in each of two layers
    for (const Json& maps : same.at("attention")) {
        EXPECT_EQ(maps.at("a"), maps.at("b"));
        EXPECT_EQ(maps.at("cosine").size(), same.at("tokens").size());
        EXPECT_NEAR(maps.at("meanCosine").get<double>(), 1, 1e-5);
        EXPECT_NEAR(maps.at("meanDivergence").get<double>(), 0, 1e-5);
    }
    const Json other = Json::parse(written("switchhead_xl", "switchall_xl", "b.json", {"--attention"}));
    EXPECT_LT(other.at("attention").at(0).at("meanCosine").get<double>(), 1);
    EXPECT_THAT(written("switchhead_xl", "switchall_xl", "c.csv", {"--attention", "--table", "attention"}),
                StartsWith("a,b,cosine,"));
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--table", "attention", "--out", folder.file("d.csv")})).code, 2);
}

TEST_F(Compare, PairsByHand)
{
    const Json all =
        Json::parse(written("switchhead_xl", "switchall_xl", "a.json", {"--pair", "layers.0.self.o.h0=layers.1.self.o.h1"}));
    bool found = false;
    for (const Json& router : all.at("routers"))
        found = found || (router.at("a") == "layers.0.self.o.h0" && router.at("b") == "layers.1.self.o.h1");
    EXPECT_TRUE(found);
    EXPECT_EQ(all.at("settings").at("pairs").size(), 1U);
}

TEST_F(Compare, AMatchingCanBeFittedOnAnotherText)
{
    const std::string other = folder.file(
        "fit.txt", "Another text, on which the experts of the one find those of the other before they are judged.");
    const Json all = Json::parse(written("switchhead_xl", "switchall_xl", "a.json", {"--fit", other}));
    EXPECT_EQ(all.at("settings").at("fittedOn"), "fit.txt");
    EXPECT_FALSE(all.at("settings").at("crossFitted").get<bool>());
}

TEST_F(Compare, PrintsATableAndWritesAReport)
{
    const Outcome outcome = run(line("switchhead_xl", "switchall_xl", {}));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("layers.0.self.v.h0"));
    EXPECT_THAT(outcome.out, HasSubstr("agreement"));
    const std::string report = folder.file("report.md");
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--report", report, "--router", "layers.0.self.o.h0"})).code, 0);
    const std::string markdown = contents(report);
    EXPECT_THAT(markdown, StartsWith("# "));
    EXPECT_THAT(markdown, HasSubstr("## Routers"));
    EXPECT_THAT(markdown, HasSubstr("## Cost"));
    EXPECT_THAT(markdown, HasSubstr("## layers.0.self.o.h0 and "));
    EXPECT_THAT(markdown, Not(HasSubstr("## layers.0.self.v.h0 and ")));
}

TEST_F(Compare, RefusesWhatItCannotDo)
{
    EXPECT_THAT(refusal({"compare", fixture("switchhead_xl"), folder.file("nothing.pth"), "--text", "a"}),
                HasSubstr("nothing.pth"));
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--report", "a.pdf"})).code, 2); // this program cannot draw
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--report", "a.docx"})).code, 2);
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--out", "a.xlsx"})).code, 2);
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--pair", "layers.0"})).code, 2);
    EXPECT_EQ(run(line("switchhead_xl", "switchall_xl", {"--memory", "3"})).code, 2);
    EXPECT_EQ(run({"compare", fixture("switchhead_xl"), "--text", "a"}).code, 2);
    EXPECT_THAT(refusal(line("switchhead_xl", "switchall_xl", {"--pair", "layers.0.self.o.h0=layers.9.self.o.h1"})),
                HasSubstr("layers.9.self.o.h1"));
}

class CompareCounts : public ::testing::Test
{
protected:
    CompareCounts()
    {
        core::writeCounts(a, core::testing::awkwardCounts());
        core::writeCounts(b, core::testing::awkwardCounts());
    }
    Outcome compared(const Arguments& more) const
    {
        Arguments arguments{"compare", "--counts-a", a, "--counts-b", b};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    OwnFolder folder;
    std::string a = folder.file("a.counts");
    std::string b = folder.file("b.counts");
};

TEST_F(CompareCounts, OfThemselvesDifferByNothing)
{
    const Outcome printed = compared({});
    EXPECT_EQ(printed.code, 0) << printed.err;
    EXPECT_THAT(printed.out, HasSubstr("the same corpus"));
    const std::string out = folder.file("tokens.json");
    EXPECT_EQ(compared({"--table", "tokens", "--min-count", "1", "--match", "identity", "--out", out}).code, 0);
    const Json rows = Json::parse(contents(out)).at("rows");
    EXPECT_FALSE(rows.empty());
    for (const Json& row : rows) {
        EXPECT_EQ(row.at("n_te_a"), row.at("n_te_b"));
        EXPECT_EQ(row.at("expert_a"), row.at("expert_b"));
        EXPECT_EQ(row.at("pmi_a"), row.at("pmi_b"));
    }
    const std::string routers = folder.file("routers.csv");
    EXPECT_EQ(compared({"--out", routers}).code, 0);
    EXPECT_THAT(contents(routers), StartsWith("a,b,experts_a,"));
}

using FaultB18 = CompareCounts;

TEST_F(FaultB18, TheMinimumActsWhereItIsWritten)
{
    const auto routersWith = [&](const Arguments& more) {
        const std::string out = folder.file("routers.json");
        Arguments arguments{"--match", "identity", "--out", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(compared(arguments).code, 0);
        return contents(out);
    };
    const std::string all = routersWith({});
    EXPECT_THAT(all, Not(HasSubstr("min_count")));
    const std::string frequent = routersWith({"--min-count", "22"}); // of tokens that occur 12 to 27 times
    EXPECT_THAT(frequent, HasSubstr("\"min_count\": 22"));
    EXPECT_THAT(frequent, HasSubstr("tokens that occur 22 times or more"));
    const auto chance = [](const std::string& file) {
        return Json::parse(file).at("rows").at(0).at("chance").get<double>();
    };
    EXPECT_NE(chance(all), chance(frequent));
    EXPECT_EQ(chance(all), chance(routersWith({"--min-count", "12"}))); // leaves none out
}

TEST_F(CompareCounts, OptionsOfATextDoNotGoWithThem)
{
    EXPECT_EQ(compared({"--text", "a"}).code, 2);
    EXPECT_EQ(compared({"--report", "a.md"}).code, 2);
    EXPECT_EQ(compared({"--match", "weights"}).code, 2);
    EXPECT_EQ(compared({"--table", "cost"}).code, 2);
    EXPECT_EQ(run({"compare", "--counts-a", a}).code, 2);
    EXPECT_THAT(refusal({"compare", "--counts-a", a, "--counts-b", folder.file("none.counts")}), HasSubstr("none.counts"));
}

TEST(SeriesCommand, AFolderWithoutARunIsRefused)
{
    const OwnFolder folder;
    EXPECT_THAT(refusal({"series", folder.path().string(), "--text", "a"}), HasSubstr("no two"));
    EXPECT_THAT(refusal({"series", folder.file("nowhere"), "--text", "a"}), HasSubstr("no folder"));
}

TEST(SeriesCommand, HoldsEveryStepAgainstTheLast)
{
    const OwnFolder folder;
    for (const char* name : {"model-10.pth", "model-20.pth"}) {
        std::filesystem::copy(fixture("switchhead_xl"), folder.file(name));
    }
    const auto beside = std::filesystem::path(fixture("switchhead_xl")).parent_path();
    for (const char* name : {"args.json", "tokenizer.model"})
        std::filesystem::copy(beside / name, folder.file(name));
    const Outcome outcome = run({"series", folder.path().string(), "--text", text});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("20       1.000"));
    const std::string out = folder.file("series.json");
    EXPECT_EQ(run({"series", folder.path().string(), "--text", text, "--out", out}).code, 0);
    const Json rows = Json::parse(contents(out)).at("rows");
    EXPECT_GT(rows.size(), 2U);
    for (const Json& row : rows)
        EXPECT_EQ(row.at("saturation"), 1);
}

TEST(ReportText, IsEscaped)
{
    core::Report report;
    report.emplace_back(core::ReportHeading{2, "a|b <c>"});
    report.emplace_back(std::string("x*y & z"));
    report.emplace_back(core::ReportTable{{"p|q"}, {{"<td>"}}});
    report.emplace_back(
        core::ReportStrips{{.text = "<s>", .a = "1", .b = "2 [3]", .colourOfA = 1, .colourOfB = -1, .agreement = 0.5}});
    const std::string markdown = core::reportMarkdown(report);
    EXPECT_THAT(markdown, StartsWith("## a\\|b"));
    EXPECT_THAT(markdown, HasSubstr("p\\|q"));
    EXPECT_THAT(markdown, HasSubstr("0.50"));
    const std::string html = core::reportHtml(report, [](int index) { return index == 1 ? "#010203" : "#ffffff"; });
    EXPECT_THAT(html, HasSubstr("<h2>a|b &lt;c&gt;</h2>"));
    EXPECT_THAT(html, HasSubstr("&lt;td&gt;"));
    EXPECT_THAT(html, HasSubstr("#010203"));
    EXPECT_THAT(html, Not(HasSubstr("<s>")));
}

} // namespace
} // namespace headscope::app::testing
