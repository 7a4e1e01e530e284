// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/corpus/pools.h"
#include "core/stats/router_table.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What a row of a table is.
enum class RowUnit : std::uint8_t {
    Pieces, // tokens of the vocabulary
    Words, // borders at Unicode white space and punctuation of the text; each routed position counts once, under the word it
           // is in
};

enum class LetterCase : std::uint8_t { Kept, Folded };

std::string_view toString(RowUnit unit);       // "pieces", "words"
std::string_view toString(Pooling pooling);    // "none", "heads", "repeats", "layers"
std::string_view toString(LetterCase letters); // "kept", "folded"

/// The rows of a stream's tables and where the rows of its counts go. Shared by the tables of all its routers.
struct RowMap {
    RowUnit unit = RowUnit::Pieces;
    std::shared_ptr<const RowNames> names;
    std::vector<std::uint32_t> rowOf; // [rows of TokenTable or WordTable]
};
/// Throws Error when words are asked for and were not counted.
RowMap rowMap(const Counts& counts, int stream, RowUnit unit, LetterCase letters);

/// Routers that become one table.
struct TablePlan {
    std::string router;               // what the table is called
    std::vector<std::size_t> members; // indices into Counts::routers, ascending
    int stream = 0;
};
/// The tables of the given routers (indices into Counts::routers), in order of the first member. Throws Error when routers
/// that would be added up differ in experts, chosen experts, gates or stream.
std::vector<TablePlan> tablePlans(const Counts& counts, std::span<const std::size_t> routers, Pooling pooling);

/// The table of one plan. What was not counted (words have no document null, groups or classes) is empty.
RouterTable routerTable(const Counts& counts, const TablePlan& plan, const RowMap& rows);

} // namespace headscope::core
