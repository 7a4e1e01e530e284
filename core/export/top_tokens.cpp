// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/top_tokens.h"

#include "core/export/markup.h"
#include "core/tokenizer/displayed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace headscope::core {

namespace {

constexpr std::size_t columnsOfATable = 8;

/// What a table says, apart from how it is written.
struct Column {
    std::string title;               // "Expert 3"
    std::string load;                // "12.5 %"
    std::vector<std::string> tokens; // made visible
};

std::string captionOf(const RouterTable& table, const StatisticsExport& what)
{
    return fmt::format("{}: {} of {} experts, the {} with the highest {} of each{}; {} positions", table.router,
                       table.chosen, table.experts, toString(what.unit), info(what.sort).name,
                       what.pairs.minimum > 0 ? fmt::format(" among those that occur {} times or more", what.pairs.minimum)
                                              : "",
                       table.positions);
}

std::vector<Column> columnsOf(const RouterTable& table, const StatisticsExport& what, const Progress& progress)
{
    StatisticsExport wanted = what;
    if (what.sort != PairColumn::PmiLow && what.sort != PairColumn::PmiHigh)
        wanted.pairs.bootstrap.replicates = 0;
    const PairTable statistics = keptStatistics(table, wanted, progress);
    const auto lists = topLists(table, statistics, what.sort, what.top);
    const double all = static_cast<double>(table.positions) * table.chosen;
    std::vector<Column> columns;
    for (std::size_t e = 0; e < lists.size(); ++e) {
        Column column{fmt::format("Expert {}", e), {}, {}};
        if (all > 0)
            column.load = fmt::format("{:.1f} %", 100 * static_cast<double>(table.selections[e]) / all);
        for (const PairStatistics& pair : lists[e])
            column.tokens.push_back(displayed((*table.rows)[pair.row].text));
        columns.push_back(std::move(column));
    }
    return columns;
}

std::size_t rowsOf(std::span<const Column> columns)
{
    std::size_t rows = 0;
    for (const Column& column : columns)
        rows = std::max(rows, column.tokens.size());
    return rows;
}

void writeMarkdown(std::ostream& out, const std::string& caption, std::span<const Column> columns)
{
    std::string titles = "|", rule = "|";
    for (const Column& column : columns) {
        titles += fmt::format(" {} ({}) |", column.title, column.load);
        rule += "---|";
    }
    out << "**" << markdownText(caption) << "**\n\n" << titles << '\n' << rule << '\n';
    for (std::size_t row = 0; row < rowsOf(columns); ++row) {
        out << '|';
        for (const Column& column : columns)
            out << ' ' << (row < column.tokens.size() ? markdownText(column.tokens[row]) : "") << " |";
        out << '\n';
    }
    out << '\n';
}

void writeLatexRow(std::ostream& out, std::span<const Column> columns, const std::function<std::string(const Column&)>& text)
{
    for (std::size_t i = 0; i < columns.size(); ++i)
        out << (i == 0 ? "" : " & ") << latexText(text(columns[i]));
    out << " \\\\\n";
}

void writeLatex(std::ostream& out, const std::string& caption, std::span<const Column> columns)
{
    out << "\\begin{table}[htbp]\n\\centering\\footnotesize\n\\caption{" << latexText(caption) << "}\n";
    for (std::size_t first = 0; first < columns.size(); first += columnsOfATable) {
        const std::span<const Column> part = columns.subspan(first, std::min(columnsOfATable, columns.size() - first));
        out << (first == 0 ? "" : "\n\\medskip\n") << "\\begin{tabular}{" << std::string(part.size(), 'l')
            << "}\n\\toprule\n";
        writeLatexRow(out, part, [](const Column& column) { return column.title; });
        writeLatexRow(out, part, [](const Column& column) { return column.load; });
        out << "\\midrule\n";
        for (std::size_t row = 0; row < rowsOf(part); ++row)
            writeLatexRow(out, part, [row](const Column& column) {
                return row < column.tokens.size() ? column.tokens[row] : std::string();
            });
        out << "\\bottomrule\n\\end{tabular}\n";
    }
    out << "\\end{table}\n\\headscopepage\n";
}

} // namespace

void writeTopTokens(std::ostream& out, TableFormat format, const Counts& counts, const StatisticsExport& what,
                    const About& about, const Progress& progress)
{
    const bool latex = format == TableFormat::Latex;
    if (latex)
        out << aboutLatex(about) << latexBegin();
    const Progress quiet = progress.quiet();
    forEachTable(counts, what, progress, [&](const RouterTable& table, const TablePlan&) {
        const std::vector<Column> columns = columnsOf(table, what, quiet);
        if (latex)
            writeLatex(out, captionOf(table, what), columns);
        else
            writeMarkdown(out, captionOf(table, what), columns);
    });
    out << (latex ? std::string(latexEnd()) : aboutMarkdown(about));
}

} // namespace headscope::core
