// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/progress.h"
#include "core/stats/information.h"
#include "core/stats/load_summary.h"
#include "core/stats/pair_statistics.h"
#include "core/stats/tables.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::widgets {

/// How the table of a router is made from counts.
struct StatisticsChoice {
    core::RowUnit unit = core::RowUnit::Pieces;
    core::LetterCase letters = core::LetterCase::Kept;
    core::Pooling pooling = core::Pooling::None;
    std::optional<core::Weighting> weighting; // none: gates where k = E, selections elsewhere
    std::int64_t minimum = 10;                // of n(t)
    bool intervals = false;                   // bootstrap intervals of PMI, which take their time

    bool operator==(const StatisticsChoice&) const = default;
    core::PairSettings pairSettings() const;
};

/// How often things go together, against chance: tags with experts, experts with experts.
struct HeatTable {
    QString title; // what the rows and the columns are
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<std::int64_t> count; // [rows, columns]
    std::vector<double> share;       // [rows, columns], of the row's selections
    std::vector<double> lift;        // [rows, columns], 1 is chance; NaN where it is not defined
};

/// Everything that is shown of one router over a corpus. A plain value.
struct RouterStatistics {
    core::RouterAddress router;
    StatisticsChoice choice;
    core::RouterTable table;
    core::PairTable pairs;
    core::RouterSummary summary;
    core::Decomposition explained;
    std::optional<HeatTable> tags;   // rows: tags; columns: experts
    std::vector<HeatTable> together; // experts chosen at one position: of this router, and V × O of its head
};

/// Throws core::Error (a router that was not counted, routers that cannot be pooled, words that were not counted),
/// core::Cancelled.
RouterStatistics routerStatistics(const core::Counts& counts, const core::RouterAddress& router,
                                  const StatisticsChoice& choice, const core::Progress& progress = {});

/// The name of a row for the eye: the piece as the vocabulary spells it, or the word.
QString rowText(const core::RowName& name, core::RowUnit unit);
QString rowText(const RouterStatistics& statistics, std::size_t row);

} // namespace headscope::widgets
