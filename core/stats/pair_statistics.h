// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/stats/router_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What p(t,e) is made of.
enum class Weighting : std::uint8_t {
    Selections, // n(t,e)/(kN): every choice counts 1
    Gates,      // G(t,e)/G: every choice counts its gate
};
std::string_view toString(Weighting weighting); // "selections", "gates"

/// Whether there are intervals (core/stats/group_intervals.h). They were drawn once and are computed now, so that beyond 0
/// the number of draws and their seed change nothing; scripts that give them go on working.
struct BootstrapSettings {
    int replicates = 500; // 0: no intervals
    std::uint64_t seed = 1;
    double level = 0.95;
    bool operator==(const BootstrapSettings&) const = default;
};

/// With fewer documents that hold a counted token there is no null and no interval (design.md §5).
inline constexpr std::int64_t fewestDocuments = 20;
/// χ² is trusted where all four expected counts reach this.
inline constexpr double smallestExpected = 5;

struct PairSettings {
    std::optional<Weighting> weighting = {}; // none: gates where k = E, selections elsewhere
    std::int64_t minimum = 10;               // rows with a smaller n(t) are left out
    std::int64_t minimumPair = 0;            // pairs with a smaller n(t,e) are not listed; they are still tested (m of q)
    double alpha = 0;                        // added to every cell of rows × experts
    BootstrapSettings bootstrap = {};
};

/// One pair that occurred. Blank values are NaN; whyBlank says why.
///
/// With x(t,e) = n(t,e), or G(t,e) when weighted by gates; x(t) and x(e) its sums over experts and rows, X over both; T
/// rows, E experts:
///     p(t,e) = (x(t,e) + α)/(X + αTE)   p(t) = (x(t) + αE)/(X + αTE)   p(e) = (x(e) + αT)/(X + αTE)
/// which for α = 0 is design.md §5: p(t,e) = n(t,e)/(kN), p(t) = n(t)/N, p(e) = n(e)/(kN).
struct PairStatistics {
    std::uint32_t row = 0;
    std::uint32_t expert = 0;
    std::int64_t count = 0; // n(t,e)
    double gateMass = 0;    // G(t,e)
    double earlyShare = 0;  // share of n(t,e) in the first 8 positions of a window, where there is little to decide by
    double expertGivenToken =
        0; // P(e|t) = p(t,e)/p(t); over the experts it adds up to 1, so at most 1/k when weighted by selections
    double tokenGivenExpert = 0; // P(t|e) = p(t,e)/p(e)
    double lift = 0;             // p(t,e)/(p(t)·p(e))
    double pmi = 0;              // log2 lift (Church and Hanks 1990)
    double ppmi = 0;             // max(0, PMI)
    double npmi = 0;             // PMI/-log2 p(t,e) (Bouma 2009); blank where p(t,e) = 1
    double nullPmi = 0; // log2(E0(t,e)·N/(n(t)·n(e))), E0 = Σ_d n_d(t)·n_d(e)/N_d: what document composition alone explains
    double pmiLow = 0; // interval of PMI over groups of documents
    double pmiHigh = 0;
    double expected = 0; // n(t)·n(e)/N
    double g2 = 0;       // signed, on positions (independence in core/stats/significance.h)
    double p = 0;
    double q =
        0; // Benjamini-Hochberg over the router's pairs with n(t) >= minimum and expected counts of 5, unseen ones included
};

/// The columns of a table of pairs, in the order in which they are exported.
enum class PairColumn : std::uint8_t {
    Count,
    RowCount,
    ExpertCount,
    Positions,
    Lift,
    Pmi,
    GateMass,
    ExpertGivenToken,
    TokenGivenExpert,
    Ppmi,
    Npmi,
    NullPmi,
    PmiLow,
    PmiHigh,
    Expected,
    G2,
    P,
    Q,
    EarlyShare,
};
inline constexpr int pairColumns = static_cast<int>(PairColumn::EarlyShare) + 1;

struct PairColumnInfo {
    std::string_view name;    // "n_te": in files and for --sort
    std::string_view formula; // one line
    bool integer = false;
    bool lowestFirst = false; // p and q are sorted ascending, everything else descending
};
const PairColumnInfo& info(PairColumn column);
std::optional<PairColumn> pairColumn(std::string_view name);

/// Why whole columns are blank, a sentence each; empty where they are not.
struct BlankColumns {
    std::string null;     // null_pmi
    std::string interval; // pmi_low, pmi_high
    std::string test;     // g2, p, q
};
/// Looks at what the table is made of, not at its rows.
BlankColumns blankColumns(const RouterTable& table, const PairSettings& settings);
Weighting weightingOf(const RouterTable& table, const PairSettings& settings);

/// The statistics of one router.
struct PairTable {
    Weighting weighting = Weighting::Selections;
    std::vector<PairStatistics> pairs; // in the order of RouterTable::pairs
    std::int64_t tested = 0;           // m: pairs that q is corrected for
    BlankColumns blank;
};
PairTable pairStatistics(const RouterTable& table, const PairSettings& settings, const Progress& progress = {});

/// NaN where blank. Counts are exact up to 2⁵³.
double value(const RouterTable& table, const PairStatistics& pair, PairColumn column);
/// Why a value is blank, a sentence; empty where it is not.
std::string whyBlank(const RouterTable& table, const PairTable& statistics, const PairStatistics& pair, PairColumn column);

/// Indices into `statistics.pairs`, grouped by expert and sorted within it: by the column, then n(t,e) descending, then id,
/// then row; blank values last. At most `top` of each expert, 0 for all.
std::vector<std::size_t> sortedByExpert(const RouterTable& table, const PairTable& statistics, PairColumn column,
                                        std::size_t top);

} // namespace headscope::core
