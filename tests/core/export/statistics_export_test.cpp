// SPDX-License-Identifier: GPL-3.0-or-later
// Files of statistics: what they hold, and that LaTeX takes what is meant for it.
#include "core/error.h"
#include "core/export/statistics_export.h"
#include "tests/core/stats/counts_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
namespace fs = std::filesystem;

StatisticsExport everything(const Counts& counts)
{
    StatisticsExport what;
    what.program = "Headscope 0.1.0";
    what.note = "held out";
    what.routers.resize(counts.routers.size());
    std::iota(what.routers.begin(), what.routers.end(), std::size_t{0});
    what.pairs.minimum = 0;
    return what;
}

std::string written(TableFormat format, StatisticsTable table, const Counts& counts, const StatisticsExport& what)
{
    std::ostringstream out;
    writeStatistics(out, format, table, counts, what);
    return out.str();
}

TEST(StatisticsExport, EveryPairThatOccurredWithTheAgreedColumnsFirst)
{
    const Counts counts = awkwardCounts();
    const std::string csv = written(TableFormat::Csv, StatisticsTable::Pairs, counts, everything(counts));
    EXPECT_THAT(csv, StartsWith("router,expert,id,token,n_te,n_t,n_e,N,lift,pmi,"));
    const Json json = Json::parse(written(TableFormat::Json, StatisticsTable::Pairs, counts, everything(counts)));
    EXPECT_EQ(json.at("rows").size(), 2 * counts.routers[0].pairs.size());
    for (const Json& row : json.at("rows")) {
        const auto token = row.at("id").get<std::size_t>() - 100;
        const std::string& piece = counts.streams[0].tokens.pieces[token];
        if (row.at("token_base64").is_null())
            EXPECT_EQ(row.at("token"), piece);
        else
            EXPECT_EQ(row.at("token_base64"), "//4=");
        EXPECT_EQ(row.at("n_t"), counts.streams[0].tokens.count[token]);
        const std::optional<std::size_t> pair = counts.routers[0].pairs.find(token, row.at("expert").get<std::size_t>());
        ASSERT_TRUE(pair);
        EXPECT_EQ(row.at("n_te"), counts.routers[0].pairs.count[*pair]);
        EXPECT_TRUE(row.at("null_pmi").is_null()); // two documents
    }
    EXPECT_THAT(json.at("about").dump(), HasSubstr("2 documents were counted; 20 are needed."));
}

TEST(StatisticsExport, CarriesWhatLedToIt)
{
    const Counts counts = awkwardCounts();
    const Json about =
        Json::parse(written(TableFormat::Json, StatisticsTable::Pairs, counts, everything(counts))).at("about");
    EXPECT_EQ(about.at("program"), "Headscope 0.1.0");
    EXPECT_EQ(about.at("checkpoint_fingerprint"), std::string(64, 'a'));
    EXPECT_EQ(about.at("tokenizer_sha256"), std::string(64, 'b'));
    EXPECT_EQ(about.at("corpus_hash"), toString(counts.streams[0].corpus.hash));
    EXPECT_EQ(about.at("corpus_tokens"), counts.streams[0].corpus.tokens);
    EXPECT_EQ(about.at("corpus_note"), "held out");
    EXPECT_EQ(about.at("document_separator"), "<SEP>");
    EXPECT_EQ(about.at("min_count"), 0);
    EXPECT_EQ(about.at("formulas").at("pmi"), "log2 lift");
    for (const TableFormat format : {TableFormat::Csv, TableFormat::Tsv, TableFormat::Markdown, TableFormat::Latex}) {
        const std::string text = written(format, StatisticsTable::Pairs, counts, everything(counts));
        EXPECT_THAT(text, HasSubstr(std::string(64, 'a')));
        EXPECT_THAT(text, HasSubstr(toString(counts.streams[0].corpus.hash)));
        EXPECT_THAT(text, HasSubstr("held out"));
    }
}

TEST(StatisticsExport, ManyDocumentsHaveANullAndIntervals)
{
    const Counts counts = awkwardCounts(24);
    StatisticsExport what = everything(counts);
    what.pairs.bootstrap.replicates = 50;
    const Json json = Json::parse(written(TableFormat::Json, StatisticsTable::Pairs, counts, what));
    EXPECT_TRUE(json.at("rows").at(0).at("null_pmi").is_number());
    EXPECT_TRUE(json.at("rows").at(0).at("pmi_low").is_number());
    EXPECT_THAT(json.at("about").dump(), Not(HasSubstr("are needed")));
}

TEST(StatisticsExport, EveryOtherTable)
{
    const Counts counts = awkwardCounts();
    const StatisticsExport what = everything(counts);
    const auto rows = [&](StatisticsTable table) {
        return Json::parse(written(TableFormat::Json, table, counts, what)).at("rows");
    };
    EXPECT_EQ(rows(StatisticsTable::Experts).size(), 10U);
    EXPECT_EQ(rows(StatisticsTable::Experts).at(0).at("n_e"), counts.routers[0].selections[0]);
    EXPECT_EQ(rows(StatisticsTable::Experts).at(0).at("mean_gate"), 0.75);
    const Json routers = rows(StatisticsTable::Routers);
    EXPECT_EQ(routers.size(), 2U);
    EXPECT_EQ(routers.at(0).at("N"), counts.streams[0].corpus.positions);
    EXPECT_EQ(routers.at(0).at("margin_p01"), 0.5);
    EXPECT_GT(routers.at(0).at("token_share").get<double>(), 0.3);
    EXPECT_TRUE(routers.at(0).at("previous_share").is_null());
    const Json tags = rows(StatisticsTable::Tags);
    EXPECT_EQ(tags.size(), 20U);
    EXPECT_EQ(tags.at(0).at("tag"), "");
    const Json together = rows(StatisticsTable::Together);
    EXPECT_EQ(together.size(), 10U + 10U + 25U); // pairs of one router, twice, and V × O
    for (const StatisticsTable table :
         {StatisticsTable::Experts, StatisticsTable::Routers, StatisticsTable::Tags, StatisticsTable::Together}) {
        EXPECT_THAT(written(TableFormat::Markdown, table, counts, what), StartsWith("| router"));
        EXPECT_EQ(statisticsTable(toString(table)), table);
    }
}

TEST(StatisticsExport, TablesOfPapersHaveAColumnForEveryExpert)
{
    const Counts counts = awkwardCounts();
    StatisticsExport what = everything(counts);
    what.top = 3;
    const std::string text = written(TableFormat::Markdown, StatisticsTable::Pairs, counts, what);
    EXPECT_THAT(text, HasSubstr("| Expert 0 ("));
    EXPECT_THAT(text, HasSubstr("Expert 4 ("));
    EXPECT_THAT(text, HasSubstr("**layers.0.self.o.h0: 2 of 5 experts"));
}

TEST(StatisticsExport, WordsAndTagsHaveToBeCounted)
{
    Counts counts = awkwardCounts();
    StatisticsExport what = everything(counts);
    what.unit = RowUnit::Words;
    const Json json = Json::parse(written(TableFormat::Json, StatisticsTable::Pairs, counts, what));
    EXPECT_TRUE(json.at("rows").at(0).at("id").is_null());
    counts.basis.words = false;
    EXPECT_THROW(written(TableFormat::Json, StatisticsTable::Pairs, counts, what), Error);
    counts.basis.tags.clear();
    EXPECT_THROW(written(TableFormat::Json, StatisticsTable::Tags, counts, everything(counts)), Error);
}

/// Compiles a file in a folder of its own; the end of the log when that fails.
std::string compiled(const fs::path& folder, const std::string& name)
{
    const std::string line =
        "cd '" + folder.string() + "' && pdflatex -halt-on-error -interaction=nonstopmode " + name + " >out.txt 2>&1";
    if (std::system(line.c_str()) == 0)
        return {};
    std::ifstream log(folder / "out.txt");
    const std::string text{std::istreambuf_iterator<char>(log), {}};
    return text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
}

TEST(StatisticsExport, LatexCompiles)
{
    if (std::system("pdflatex --version >/dev/null 2>&1 && kpsewhich booktabs.sty >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "pdflatex with booktabs (Debian: texlive-latex-recommended) is not installed.";
    const fs::path folder = fs::path(::testing::TempDir()) / "headscope_latex_test";
    fs::create_directories(folder);
    const Counts counts = awkwardCounts();
    std::ofstream(folder / "pairs.tex") << written(TableFormat::Latex, StatisticsTable::Pairs, counts, everything(counts));
    std::ofstream(folder / "tags.tex") << written(TableFormat::Latex, StatisticsTable::Tags, counts, everything(counts));
    std::ofstream(folder / "paper.tex")
        << "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\input{pairs}\n\\input{tags}\n"
           "\\end{document}\n";
    for (const char* name : {"pairs.tex", "tags.tex", "paper.tex"})
        EXPECT_EQ(compiled(folder, name), "") << name;
    EXPECT_TRUE(fs::exists(folder / "paper.pdf"));
    fs::remove_all(folder);
}

} // namespace
} // namespace headscope::core::testing
