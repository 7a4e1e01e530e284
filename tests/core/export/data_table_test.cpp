// SPDX-License-Identifier: GPL-3.0-or-later
// Cells and files of tables: CSV as RFC 4180 has it and safe for spreadsheets, TSV, JSON, Markdown, LaTeX.
#include "core/export/data_table.h"
#include "core/export/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <sstream>

namespace headscope::core {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const std::vector<DataColumn> columns{{"token", "t"}, {"n", "count"}, {"pmi", "log2 lift"}};

About about()
{
    About about;
    about.facts = {{"program", "Headscope 1"}, {"min_count", std::int64_t{10}}, {"alpha", 0.5}};
    about.formulas = {{"pmi", "log2 lift"}};
    about.notes = {"Blank: 1 document, \"few\"."};
    return about;
}

std::string written(TableFormat format, const std::vector<std::vector<DataCell>>& rows)
{
    std::ostringstream out;
    const auto writer = makeTableWriter(out, format, columns, about());
    for (const auto& row : rows)
        writer->row(row);
    writer->finish();
    return out.str();
}

/// Rows of RFC 4180.
std::vector<std::vector<std::string>> parsedCsv(const std::string& text)
{
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"')
                rows.back().back() += text[++i];
            else if (c == '"')
                quoted = false;
            else
                rows.back().back() += c;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            rows.back().emplace_back();
        } else if (c == '\r') {
            EXPECT_EQ(text[++i], '\n');
            rows.emplace_back(1);
        } else {
            EXPECT_NE(c, '\n');
            rows.back().back() += c;
        }
    }
    EXPECT_EQ(rows.back(), std::vector<std::string>(1)); // the last line ends
    rows.pop_back();
    return rows;
}

TEST(DataTable, CsvCellsThatSpreadsheetsWouldRun)
{
    EXPECT_EQ(csvCell(std::string("=1+1")), "'=1+1");
    EXPECT_EQ(csvCell(std::string("+x")), "'+x");
    EXPECT_EQ(csvCell(std::string("-")), "'-");
    EXPECT_EQ(csvCell(std::string("@SUM(A1)")), "'@SUM(A1)");
    EXPECT_EQ(csvCell(std::string("=a,b")), "\"'=a,b\"");
    EXPECT_EQ(csvCell(std::string("a=b")), "a=b");
    EXPECT_EQ(csvCell(-1.5), "-1.5"); // a number is never touched
    EXPECT_EQ(csvCell(std::int64_t{-3}), "-3");
}

TEST(DataTable, CsvQuotesAsRfc4180Has)
{
    EXPECT_EQ(csvCell(std::string("a,b")), "\"a,b\"");
    EXPECT_EQ(csvCell(std::string("say \"hi\"")), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csvCell(std::string("two\nlines")), "\"two\nlines\"");
    EXPECT_EQ(csvCell(std::string("plain")), "plain");
    EXPECT_EQ(csvCell(std::string("\xff")), "\uFFFD");
    EXPECT_EQ(csvCell(DataCell()), "");
    EXPECT_EQ(csvCell(std::numeric_limits<double>::quiet_NaN()), "");
    EXPECT_EQ(csvCell(0.1), "0.1"); // as few digits as give it back
}

TEST(DataTable, CsvCarriesAboutInItsFirstRow)
{
    const auto rows = parsedCsv(
        written(TableFormat::Csv, {{std::string("a\"b"), std::int64_t{3}, 1.25}, {std::string("c"), std::int64_t{1}, NAN}}));
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"token", "n", "pmi", "about"}));
    EXPECT_EQ(rows[1][0], "a\"b");
    const Json json = Json::parse(rows[1][3]);
    EXPECT_EQ(json.at("min_count"), 10);
    EXPECT_EQ(json.at("formulas").at("pmi"), "log2 lift");
    EXPECT_EQ(rows[2], (std::vector<std::string>{"c", "1", "", ""}));
}

TEST(DataTable, TsvEscapesWhatWouldEndACell)
{
    EXPECT_EQ(tsvCell(std::string("a\tb\nc\\d\re")), "a\\tb\\nc\\\\d\\re");
    EXPECT_EQ(tsvCell(std::string("=1+1")), "=1+1"); // raw
    const std::string text = written(TableFormat::Tsv, {{std::string("x\ty"), std::int64_t{3}, 1.25}});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    EXPECT_THAT(text, HasSubstr("x\\ty\t3\t1.25\t{\"program\""));
}

TEST(DataTable, JsonNeverHoldsNaN)
{
    const std::string text = written(
        TableFormat::Json, {{std::string("\t\"="), std::int64_t{3}, NAN}, {std::string("b"), std::int64_t{1}, INFINITY}});
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    const Json json = Json::parse(text);
    EXPECT_EQ(json.at("rows").size(), 2U);
    EXPECT_EQ(json.at("rows").at(0).at("token"), "\t\"=");
    EXPECT_TRUE(json.at("rows").at(0).at("pmi").is_null());
    EXPECT_EQ(json.at("about").at("alpha"), 0.5);
    EXPECT_EQ(json.at("columns"), (Json{"token", "n", "pmi"}));
}

TEST(DataTable, MarkdownCellsStayCells)
{
    const std::string text = written(TableFormat::Markdown, {{std::string("a|b\n*c*"), std::int64_t{3}, 1.23456}});
    EXPECT_THAT(text, HasSubstr("| token | n | pmi |\n|---|---:|---:|\n| a\\|b↵\\*c\\* | 3 | 1.235 |\n"));
    EXPECT_THAT(text, HasSubstr("- min_count: 10\n"));
    EXPECT_THAT(written(TableFormat::Markdown, {}), HasSubstr("|---|---|---|"));
}

TEST(DataTable, FormatsByExtension)
{
    EXPECT_EQ(tableFormat(".csv"), TableFormat::Csv);
    EXPECT_EQ(tableFormat(".tex"), TableFormat::Latex);
    EXPECT_EQ(tableFormat(".xlsx"), std::nullopt);
    EXPECT_EQ(tableFormat(""), std::nullopt);
}

TEST(Markup, LatexIsEscaped)
{
    EXPECT_EQ(latexText("50% & a_b {x} #1 $"), "50\\% \\& a\\_b \\{x\\} \\#1 \\$");
    EXPECT_EQ(latexText("\\~^"), "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}");
    EXPECT_EQ(latexText("caf\u00e9"), "caf\u00e9");
    EXPECT_EQ(latexText("\u4e2d"), "\\headscopechar{4E2D}{\u4e2d}");
    EXPECT_EQ(latexText("\u2423the"), "\\textvisiblespace{}the");
}

} // namespace
} // namespace headscope::core
