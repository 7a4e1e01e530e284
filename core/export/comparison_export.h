// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/attention_comparison.h"
#include "core/compare/comparison.h"
#include "core/export/data_table.h"
#include "core/trace/model_cost.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Two maps that correspond, and how alike their rows are.
struct ComparedMaps {
    MapPair maps;
    AttentionComparison rows;
};

/// What is written of a comparison besides its values.
struct ComparisonExport {
    std::string program;                    // "Headscope 0.1.0"
    std::string fingerprintA, fingerprintB; // of the checkpoints; empty where not computed
    ComparedTraces traces;                  // that were compared
    std::string fittedOn;                 // what the matching was fitted on, for a reader; empty: cross-fitted or not fitted
    std::vector<ComparedMaps> attention;  // empty: not compared
    std::optional<SequenceLength> length; // of the cost; none: what each was trained with, else the text's
};

enum class ComparisonTable : std::uint8_t {
    Routers,   // a row for every pair of routers
    Tokens,    // a row for every unit of the text
    Experts,   // a row for every expert of A in every pair of routers
    Attention, // a row for every pair of attention maps
    Cost,      // a row for A and one for B
};
std::string_view toString(ComparisonTable table); // "routers", …
std::optional<ComparisonTable> comparisonTable(std::string_view name);

/// Models, settings, what the columns mean. Holds no time and no folder.
About aboutComparison(const Comparison& comparison, const ComparisonExport& what, std::vector<DataColumn> formulas);

void writeComparisonTable(std::ostream& out, TableFormat format, ComparisonTable table, const Comparison& comparison,
                          const ComparisonExport& what);

/// Everything in one object (docs/compare-file.md): about, a, b, routers, unpaired, tokens, loss, cost, text.
void writeComparisonJson(std::ostream& out, const Comparison& comparison, const ComparisonExport& what);

/// "layers.0.self head 1"
std::string mapName(const MapRef& map, const Trace& trace);

/// What the two checkpoints are called: by their files, with their folders where these are called the same.
struct ComparedNames {
    std::string a, b;
};
ComparedNames comparedNames(const Comparison& comparison);

/// How the null was drawn and how intervals were computed, for the settings of a file.
std::string nullMethod(const Comparison& comparison);
std::string intervalMethod(const Comparison& comparison);

/// "layers.0.ffn.mlp of B has no counterpart: A does not route mlp in its layer 0."
std::vector<std::string> unpairedSentences(const Comparison& comparison);

/// What a model's attention costs, for the length of `what`, else for what it was trained with, else for the text.
ModelCost comparedCost(const ModelInfo& model, const ComparisonExport& what);

/// The bytes of a unit; where the text was given by ids, its pieces.
std::string unitText(const AlignedUnit& unit, const ComparedTraces& traces);

} // namespace headscope::core
