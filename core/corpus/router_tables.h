// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: the tables of one router while they grow.

#include "core/corpus/cell_counts.h"
#include "core/corpus/counts.h"
#include "core/routing/router.h"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace headscope::core {

/// How large the tables of a stream are.
struct TableSizes {
    std::size_t rows = 0;     // tokens that may occur
    std::size_t groups = 0;   // of the bootstrap
    std::size_t frequent = 0; // M
    std::size_t tags = 0;     // 0 without tags
    std::size_t routers = 0;  // that share the memory
    bool words = false;
};

/// A position that counts, and all that its classes are. Made once per window for all routers.
struct CountedPosition {
    std::uint32_t place = 0;    // in the window
    std::uint32_t row = 0;      // of its token
    std::uint32_t frequent = 0; // index among the frequent tokens, M when it is none
    std::uint32_t previous = 0; // class of the token before (RouterCounts::previous)
    std::uint32_t bin = 0;      // positionBin
    std::uint32_t tag = 0;
    std::uint32_t word = 0; // noWord when it has none
    bool early = false;
};

/// Where the rows, frequent tokens and words of other counts are in these tables.
struct RowMaps {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> frequentOfRow; // index among the frequent tokens, M when it is none; by row here
    std::vector<std::uint32_t> words;
};

/// Which rows and words of the tables go into counts, and as which.
struct RowSelection {
    std::vector<std::uint32_t> rows;      // of the tables, ascending
    std::vector<std::uint32_t> frequentRows; // of the tables, by index among the frequent tokens; absentRow when it cannot occur
    std::vector<std::uint32_t> words;     // number of each word in the counts
    static constexpr std::uint32_t absentRow = UINT32_MAX;
};

/// Not thread-safe. Every count stays below 2³² (the pass sees to it).
class RouterTables
{
public:
    RouterTables(Router router, const TableSizes& sizes);

    const Router& router() const { return m_router; }
    /// Counts the decisions of one router of a site. Returns n(e) of these positions, [E]. Throws Error where a gate is no number that can be
    /// added (nan, infinite, negative).
    std::vector<std::uint64_t> add(const SiteRouting& site, int head, std::span<const CountedPosition> positions, std::uint32_t group);
    /// A document's summand of E0: n_d(t) by row, n_d(e), N_d.
    void addExpected(const std::unordered_map<std::uint32_t, std::uint64_t>& tokens, std::span<const std::uint64_t> experts,
                     std::uint64_t positions);
    void add(const RouterCounts& counted, const RowMaps& maps);

    RouterCounts counts(const RowSelection& selection) const;

private:
    /// n(t,e) and G(t,e) modulo 2³², whose carries are kept apart.
    struct Cell {
        std::uint64_t gates = 0;
        std::uint32_t count = 0;
        std::uint32_t early = 0;
    };
    struct WordCell {
        std::uint64_t gates = 0;
        std::uint64_t high = 0;
        std::uint64_t count = 0;
    };
    void addToCell(std::size_t cell, std::uint64_t gateSteps);
    void addSoftmax(std::span<const float> logits);
    std::size_t experts() const { return static_cast<std::size_t>(m_router.experts); }
    PairCounts pairs(const RowSelection& selection, std::vector<std::uint32_t>& indexOfCell) const;
    PairCounts wordPairs(const RowSelection& selection) const;
    ClassCounts classes(const CellCounts& cells, std::size_t kinds, const std::vector<std::uint32_t>& rowOfEntry,
                        const std::vector<std::uint32_t>& pairOfCell) const;

    Router m_router;
    TableSizes m_sizes;
    std::vector<Cell> m_cells;                        // [rows, E]
    std::unordered_map<std::size_t, std::uint64_t> m_carries; // of Cell::gates
    FixedSums m_expected;                             // [rows, E]
    std::vector<std::uint64_t> m_together;            // [E, E]
    std::vector<std::uint64_t> m_tags;                // [tags, E]
    FixedSums m_tagGates;
    CellCounts m_previous;  // [M, E, M + 2]
    CellCounts m_positions; // [M, E, bins]
    CellCounts m_groups;    // [rows, E, G]
    std::unordered_map<std::uint64_t, WordCell> m_words; // word · E + e
    FixedSums m_probabilities;
    FixedSums m_squaredLogSumExp;
    std::vector<std::uint64_t> m_margins;
};

} // namespace headscope::core
