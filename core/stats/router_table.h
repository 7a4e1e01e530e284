// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "core/tokenizer/tokens.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope::core {

// What the functions of stats/ work on: the contingency table of one router (or of several that were pooled), made from
// Counts by routerTable (core/stats/tables.h) or by hand. Symbols as in design.md §5: N positions, k chosen experts at each,
// n(t) occurrences of token t, n(e) selections of expert e, n(t,e) positions with both. In every table Σ_e n(t,e) = k·n(t)
// and Σ_t n(t,e) = n(e).

/// A row: a piece of the vocabulary, a word, or pieces that were made one (case folded).
struct RowName {
    std::optional<TokenId> id; // none for a word, nor for several pieces made one
    std::string text;          // raw: as the vocabulary spells it, or the word; folded where case is folded
    bool operator==(const RowName&) const = default;
};
using RowNames = std::vector<RowName>;

/// What occurred, sorted by (row, expert).
struct TablePair {
    std::uint32_t row = 0;
    std::uint32_t expert = 0;
    std::int64_t count = 0;  // n(t,e), at least 1
    std::int64_t early = -1; // of them in the first 8 positions of a window; -1 where that was not gathered
    double gateMass = 0;     // G(t,e), sum of gates
};

/// The selections of a pair in one group of documents.
struct GroupCount {
    std::uint32_t group = 0;
    std::int64_t count = 0;
};

/// Groups of documents, the unit that intervals go by. Empty where they were not gathered.
struct DocumentGroups {
    int groups = 0;                      // G
    std::vector<std::size_t> first;      // [pairs + 1]: the counts of a pair are [first[pair], first[pair + 1])
    std::vector<GroupCount> counts;      // sorted by (pair, group)
    std::vector<std::int64_t> documents; // [G]
    std::vector<std::int64_t> positions; // [G], that were counted; empty where that is not known

    bool empty() const { return groups == 0; }
    std::span<const GroupCount> of(std::size_t pair) const
    {
        return std::span(counts).subspan(first[pair], first[pair + 1] - first[pair]);
    }
};

/// Selections divided into classes (the token before, the place in the window), of some rows only. Sorted by (row, kind,
/// expert).
struct ClassedSelection {
    std::uint32_t row = 0;
    std::uint32_t kind = 0;
    std::uint32_t expert = 0;
    std::int64_t count = 0;
};

/// A class of text that positions were given. n(tag, e) adds up to k·n(tag) over the experts.
struct TagCounts {
    std::string name;                     // empty: positions without a tag
    std::int64_t positions = 0;           // n(tag)
    std::vector<std::int64_t> selections; // [E], n(tag, e)
    std::vector<double> gateMass;         // [E]
};

/// Sums over the softmax of all logits; only softmax routers have them.
struct SoftmaxSums {
    std::vector<double> probabilities; // [E], Σ softmax(logits)_e
    double squaredLogSumExp = 0;       // Σ (log Σ_e exp logit_e)²
};

/// What makes up the cells of pooled routers. A cell n(x,e) adds up what several routers chose at the same positions, so that
/// it takes this to know how it varies.
struct PooledChoices {
    int routers = 0; // M
    /// [E, M + 1]: positions at which c of them chose e. Empty in counts that were made before this was counted.
    std::vector<std::int64_t> positions;
    /// Of the frequent tokens, by row ascending: n(t,e) of each router. [rows of `rows`, E, M]
    std::vector<std::uint32_t> rows;
    std::vector<std::int64_t> ofRows;
};

struct RouterTable {
    std::string router; // its address; of pooled routers a pattern: "layers.0.self.v", "layers.{0,2}.self.v.h0"
    std::vector<std::string> members; // the addresses that are pooled here; one where nothing is
    int experts = 0;                  // E
    int chosen = 0;                   // k
    GateKind gate = GateKind::Sigmoid;
    std::int64_t positions = 0;           // N; pooled routers add up, each decision counts
    std::int64_t documents = 0;           // that were counted
    std::shared_ptr<const RowNames> rows; // [T]
    std::vector<std::int64_t> rowCounts;  // [T], n(t)
    std::vector<std::int64_t> selections; // [E], n(e)
    std::vector<double> gateMass;         // [E], G(e)
    std::vector<TablePair> pairs;
    std::vector<double>
        expected; // [T, E], E0(t,e) = Σ_d n_d(t)·n_d(e)/N_d over documents d; empty where it was not gathered
    DocumentGroups groups;
    std::vector<ClassedSelection> previous; // by the token before, of the frequent tokens; empty where not gathered
    std::vector<ClassedSelection> places;   // by the bin of the position in the window, of the frequent tokens
    std::string whyNoClasses; // a sentence where the two are empty
    std::shared_ptr<const PooledChoices> pooled; // none where nothing is pooled, and for words
    std::vector<TagCounts> tags;
    std::optional<SoftmaxSums> softmax;

    std::size_t rowsCount() const { return rowCounts.size(); }
    double expectedOf(std::uint32_t row, std::uint32_t expert) const
    {
        return expected[static_cast<std::size_t>(row) * static_cast<std::size_t>(experts) + expert];
    }
};

} // namespace headscope::core
