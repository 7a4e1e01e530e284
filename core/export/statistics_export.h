// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/data_table.h"
#include "core/progress.h"
#include "core/stats/pair_statistics.h"
#include "core/stats/tables.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What is written of a set of counts, and how.
struct StatisticsExport {
    std::string program;              // "Headscope 0.1.0"
    std::string note;                 // what the user says about the corpus ("held out"); empty for nothing
    std::vector<std::size_t> routers; // indices into Counts::routers
    RowUnit unit = RowUnit::Pieces;
    LetterCase letters = LetterCase::Kept;
    Pooling pooling = Pooling::None;
    PairSettings pairs;
    PairColumn sort = PairColumn::Pmi;
    std::size_t top = 0; // rows of each expert; 0 for all
    /// Only rows whose name this says true to are written (all where it is empty), and how a reader is told about it. Statistics are
    /// those of the whole table, q included.
    std::function<bool(const RowName& name)> keep = {};
    std::string filter = {};
};

enum class StatisticsTable : std::uint8_t {
    Pairs,    // a row for every pair of token and expert
    Experts,  // a row for every expert
    Routers,  // a row for every router
    Tags,     // P(e|tag) against load
    Together, // experts chosen at the same position: of one router, and V × O of one head
};
std::string_view toString(StatisticsTable table); // "pairs", …
std::optional<StatisticsTable> statisticsTable(std::string_view name);

/// Everything that led to the values: of counts, of settings, formulas of the columns. Holds no time and no folder.
About aboutStatistics(const Counts& counts, const StatisticsExport& what, StatisticsTable table,
                      std::vector<DataColumn> formulas);

/// Writes a table. Pairs in Markdown and LaTeX are the tables of papers: one for each router, one column of top tokens for
/// each expert. Throws Error (routers that cannot be pooled, words or tags that were not counted), Cancelled.
void writeStatistics(std::ostream& out, TableFormat format, StatisticsTable table, const Counts& counts,
                     const StatisticsExport& what, const Progress& progress = {});

/// The table of every plan, one after the other, and what `use` does with it.
void forEachTable(const Counts& counts, const StatisticsExport& what, const Progress& progress,
                  const std::function<void(const RouterTable& table, const TablePlan& plan)>& use);

/// The statistics of the rows that `what` keeps.
PairTable keptStatistics(const RouterTable& table, const StatisticsExport& what, const Progress& progress);

/// The top lists of one router: [E] of rows in order.
std::vector<std::vector<PairStatistics>> topLists(const RouterTable& table, const PairTable& statistics, PairColumn sort,
                                                  std::size_t top);

} // namespace headscope::core
