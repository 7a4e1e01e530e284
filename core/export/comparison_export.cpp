// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/comparison_export.h"

#include "core/export/corpus_facts.h"
#include "core/export/trace_export.h"
#include "core/routing/router.h"
#include "core/tokenizer/displayed.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <ostream>

namespace headscope::core {
namespace {

constexpr std::array<std::pair<ComparisonTable, std::string_view>, 5> tableNames{{{ComparisonTable::Routers, "routers"},
                                                                                  {ComparisonTable::Tokens, "tokens"},
                                                                                  {ComparisonTable::Experts, "experts"},
                                                                                  {ComparisonTable::Attention, "attention"},
                                                                                  {ComparisonTable::Cost, "cost"}}};

DataCell matched(int expert)
{
    if (expert < 0)
        return {};
    return std::int64_t{expert};
}

// ── Routers ──

std::vector<DataColumn> routerColumns()
{
    return {
        {"a", "router of A"},
        {"b", "router of B"},
        {"experts_a", "E of A"},
        {"experts_b", "E of B"},
        {"chosen_a", "k of A"},
        {"chosen_b", "k of B"},
        {"agreement",
         "mean over units of Σ_e min(x_u(e), y_u(π e)) / min(k_A, k_B): x, y the choices of A and B, π the matching"},
        {"chance", "Σ_e i_A(e)·i_B(π e) / min(k_A, k_B), i(e) = n(e)/N"},
        {"null_mean", "agreement after the choices of A or of B, in turn, were permuted over token types and matched anew (by "
                      "number where experts are matched by number): the mean …"},
        {"null_low", "… 2.5 %"},
        {"null_high", "… and 97.5 % of the draws"},
        {"low", "95 % interval of the agreement, Student's t over stretches of the text"},
        {"high", "its upper end"},
        {"bound", "the most that this matching could reach"},
        {"load_jsd", "Jensen-Shannon divergence of the matched experts' shares of selections, bits; where folds match "
                     "differently the mean of theirs, by units"},
        {"mutual_information", "of the choices over all k_A·k_B pairs of a unit, bits, minus the mean of a shuffled null"},
        {"gate_correlation", "Spearman's rank correlation of the matched experts' gates over units, mean over experts"},
        {"matching", "how experts were matched"},
        {"stability", "share of the experts that every fold matched the same"},
        {"too_little_text", "1 where units·k < 50·E: the matching is not to be trusted"},
        {"above_null", "above, inside, or at the edge: 2.5 % lies in the 95 % interval of the share of draws that reach the "
                       "agreement, so that another seed may put it on the other side"},
        {"null_exceeded", "draws that reach the agreement"},
        {"stretches", "of the text, that the interval is from"},
        {"interval_doubtful", "1 where neighbouring units agree alike over so long a way that the interval may be too short"}};
}

std::vector<DataCell> routerCells(const RouterComparison& pair)
{
    return {pair.a.toString(),
            pair.b.toString(),
            std::int64_t{pair.expertsA},
            std::int64_t{pair.expertsB},
            std::int64_t{pair.chosenA},
            std::int64_t{pair.chosenB},
            pair.agreement,
            pair.chance,
            pair.nullMean,
            pair.null.low,
            pair.null.high,
            pair.interval.low,
            pair.interval.high,
            pair.bound,
            pair.loadDivergence,
            pair.mutualInformation,
            pair.gateCorrelation,
            std::string(toString(pair.matching)),
            pair.stability,
            std::int64_t{pair.tooLittleText ? 1 : 0},
            std::string(toString(pair.verdict)),
            pair.verdict == NullVerdict::None ? DataCell() : DataCell(std::int64_t{pair.nullExceeded}),
            pair.stretches > 0 ? DataCell(std::int64_t{pair.stretches}) : DataCell(),
            std::int64_t{pair.intervalDoubtful ? 1 : 0}};
}

// ── Tokens ──

std::vector<DataColumn> tokenColumns()
{
    return {{"begin", "first byte of the unit in the text"},
            {"end", "one past its last byte"},
            {"text", "its bytes"},
            {"tokens_a", "how many tokens of A it holds"},
            {"tokens_b", "how many of B"},
            {"agreement", "mean over the pairs of routers"},
            {"loss_a", "-ln p of the unit under A, nats"},
            {"loss_b", "and under B"},
            {"difference", "loss_b - loss_a"},
            {"divergence", "KL(A‖B) of the distributions of what follows the unit, nats; blank where tokenizers differ"},
            {"context_a", "tokens before the unit that A could see"},
            {"context_b", "and B"},
            {"display", "the unit with white space and shapeless characters made visible"}};
}

std::vector<DataCell> tokenCells(const Comparison& comparison, std::size_t at, const ComparedTraces& traces)
{
    const AlignedUnit& unit = comparison.alignment.units[at];
    const UnitComparison& values = comparison.units[at];
    const std::string text = unitText(unit, traces);
    return {static_cast<std::int64_t>(values.bytes.begin),
            static_cast<std::int64_t>(values.bytes.end),
            text,
            static_cast<std::int64_t>(unit.a.last - unit.a.first),
            static_cast<std::int64_t>(unit.b.last - unit.b.first),
            values.agreement,
            values.lossA,
            values.lossB,
            values.lossB - values.lossA,
            values.divergence,
            values.contextA,
            values.contextB,
            displayed(text)};
}

// ── Experts ──

std::vector<DataColumn> expertColumns()
{
    return {{"a", "router of A"},
            {"expert_a", "its expert"},
            {"b", "router of B"},
            {"expert_b", "π: the expert of B that was matched; blank for none"},
            {"n_a", "n(e): positions where A chose it"},
            {"n_b", "positions where B chose its counterpart"},
            {"gate_correlation", "Spearman's rank correlation of their gates over units"}};
}

/// Selections of every expert of a router; empty where the trace has no such site.
std::vector<std::int64_t> selections(const Trace& trace, const RouterAddress& address)
{
    const SiteRouting* const site = trace.site(address);
    const int head = site == nullptr ? -1 : site->headOf(address);
    return head < 0 ? std::vector<std::int64_t>() : loadOf(*site, head).selections;
}

void addExperts(DataTableWriter& writer, const RouterComparison& pair, const ComparedTraces& traces)
{
    const auto ofA = selections(*traces.a, pair.a);
    const auto ofB = selections(*traces.b, pair.b);
    for (std::size_t e = 0; e < pair.expertOfB.size(); ++e) {
        const int other = pair.expertOfB[e];
        const bool counted = other >= 0 && static_cast<std::size_t>(other) < ofB.size();
        writer.row({pair.a.toString(), static_cast<std::int64_t>(e), pair.b.toString(), matched(other),
                    e < ofA.size() ? DataCell(ofA[e]) : DataCell(),
                    counted ? DataCell(ofB[static_cast<std::size_t>(other)]) : DataCell(),
                    e < pair.gateCorrelations.size() ? DataCell(pair.gateCorrelations[e]) : DataCell()});
    }
}

// ── Attention ──

std::vector<DataColumn> attentionColumns()
{
    return {{"a", "map of A"},
            {"b", "map of B"},
            {"cosine", "Σ_j a_ij·b_ij / (‖a_i‖·‖b_i‖), mean over the rows that both have"},
            {"divergence", "Jensen-Shannon divergence of the rows, bits, mean over the same rows"},
            {"rows", "how many these are"}};
}

std::vector<DataCell> attentionCells(const ComparedMaps& compared, const ComparedTraces& traces)
{
    const auto& rows = compared.rows.cosine;
    return {mapName(compared.maps.a, *traces.a), mapName(compared.maps.b, *traces.b), compared.rows.meanCosine,
            compared.rows.meanDivergence,
            static_cast<std::int64_t>(std::ranges::count_if(rows, [](float value) { return !std::isnan(value); }))};
}

// ── Cost ──

std::vector<DataColumn> costColumns()
{
    return {{"model", "A or B"},
            {"checkpoint", "its name"},
            {"tokens", "T, of the sequence"},
            {"memory", "(C - 1)·T, tokens before it that are attended to"},
            {"multiply_accumulates",
             "of all layers' attention: projections, scores, mixing, positions (SwitchHead paper, Eq. 11-13)"},
            {"stored_floats", "queries, keys, values, scores before and after the softmax, positions"},
            {"routing_multiply_accumulates", "of the routers, not in the published formula"},
            {"attention_matrices", "maps per layer, added over the layers"},
            {"matrices_stored", "projection matrices in the checkpoint; layers that repeat count once"},
            {"matrices_computed", "projection matrices every token is multiplied with"},
            {"attention_parameters", "of the projections"},
            {"parameters", "of the whole model"}};
}

std::vector<DataCell> costCells(std::string_view which, const std::string& name, const ModelInfo& info,
                                const ComparisonExport& what)
{
    const ModelCost cost = comparedCost(info, what);
    return {std::string(which),
            name,
            cost.length.tokens,
            cost.length.memory,
            cost.all.multiplyAccumulates,
            cost.all.storedFloats,
            cost.all.routing,
            std::int64_t{cost.all.attentionMatrices},
            std::int64_t{cost.all.matricesStored},
            std::int64_t{cost.all.matricesComputed},
            cost.all.parameters,
            info.parameters};
}

std::vector<DataColumn> columnsOf(ComparisonTable table)
{
    switch (table) {
    case ComparisonTable::Routers: return routerColumns();
    case ComparisonTable::Tokens: return tokenColumns();
    case ComparisonTable::Experts: return expertColumns();
    case ComparisonTable::Attention: return attentionColumns();
    case ComparisonTable::Cost: return costColumns();
    }
    return {};
}

void addModel(About& about, const std::string& which, const std::string& name, const ModelInfo& info,
              const std::string& fingerprint)
{
    about.facts.emplace_back(which, name);
    about.facts.emplace_back(which + "_family", info.family);
    about.facts.emplace_back(which + "_variant", info.variant);
    if (!fingerprint.empty())
        about.facts.emplace_back(which + "_fingerprint", fingerprint);
    addEvaluationFacts(about.facts, evaluationMode(info), which + "_");
    about.facts.emplace_back(which + "_tokenizer", info.tokenizer.substr(0, info.tokenizer.rfind(" (")));
}

} // namespace

std::string_view toString(ComparisonTable table)
{
    return std::ranges::find(tableNames, table, &std::pair<ComparisonTable, std::string_view>::first)->second;
}

std::optional<ComparisonTable> comparisonTable(std::string_view name)
{
    const auto found = std::ranges::find(tableNames, name, &std::pair<ComparisonTable, std::string_view>::second);
    return found == tableNames.end() ? std::nullopt : std::optional(found->first);
}

std::string mapName(const MapRef& map, const Trace& trace)
{
    const AttentionKeep* const block = trace.block(map.address);
    return map.toString(block != nullptr && block->slots);
}

ComparedNames comparedNames(const Comparison& comparison)
{
    ComparedNames names{modelName(*comparison.a), modelName(*comparison.b)};
    if (names.a == names.b) {
        const auto withFolder = [](const std::string& name, const std::string& path) {
            const std::string folder = std::filesystem::path(path).parent_path().filename().string();
            return folder.empty() ? name : folder + "/" + name;
        };
        names = {withFolder(names.a, comparison.a->path), withFolder(names.b, comparison.b->path)};
    }
    return names;
}

std::string nullMethod(const Comparison& comparison)
{
    if (comparison.settings.nullReplicates <= 0)
        return "left out";
    constexpr std::string_view permuted = "choices of A and of B, in turn, permuted over token types";
    switch (comparison.matching) {
    case Matching::Identity: return fmt::format("{}; experts by number", permuted);
    case Matching::Weights: return fmt::format("{}; experts as matched by weights", permuted);
    case Matching::Coselection: break;
    }
    return fmt::format("{}; heads and experts matched anew", permuted);
}

std::string intervalMethod(const Comparison& comparison)
{
    return comparison.settings.bootstrapReplicates > 0
               ? "Student's t over 6 to 20 stretches of the text, each four times the block length after Politis and White"
               : "left out";
}

std::vector<std::string> unpairedSentences(const Comparison& comparison)
{
    std::vector<std::string> sentences;
    for (const auto* side : {&comparison.onlyA, &comparison.onlyB}) {
        for (const UnpairedRouter& router : *side)
            sentences.push_back(fmt::format("{} of {} has no counterpart: {}", router.address.toString(),
                                            side == &comparison.onlyA ? "A" : "B", router.why));
    }
    return sentences;
}

ModelCost comparedCost(const ModelInfo& model, const ComparisonExport& what)
{
    if (what.length)
        return modelCost(model, *what.length);
    if (const auto trained = trainedLength(model))
        return modelCost(model, *trained);
    return modelCost(model, {.tokens = what.traces.a ? what.traces.a->tokens() : 0, .memory = 0});
}

std::string unitText(const AlignedUnit& unit, const ComparedTraces& traces)
{
    const TokenizedText& text = traces.a->text();
    if (!text.text.empty())
        return text.text.substr(unit.bytes.begin, unit.bytes.size());
    std::string pieces;
    for (std::size_t token = unit.a.first; token < unit.a.last; ++token)
        pieces += text.tokens[token].piece;
    return pieces;
}

About aboutComparison(const Comparison& comparison, const ComparisonExport& what, std::vector<DataColumn> formulas)
{
    About about;
    about.facts.emplace_back("program", what.program);
    const ComparedNames names = comparedNames(comparison);
    addModel(about, "a", names.a, *comparison.a, what.fingerprintA);
    addModel(about, "b", names.b, *comparison.b, what.fingerprintB);
    about.facts.emplace_back("bytes", static_cast<std::int64_t>(what.traces.a->text().text.size()));
    about.facts.emplace_back("units", static_cast<std::int64_t>(comparison.alignment.units.size()));
    about.facts.emplace_back("matching", std::string(toString(comparison.matching)));
    about.facts.emplace_back("why_this_matching", comparison.whyMatching);
    if (!what.fittedOn.empty())
        about.facts.emplace_back("matching_fitted_on", what.fittedOn);
    else if (comparison.crossFitted)
        about.facts.emplace_back("matching_cross_fitted_over", std::int64_t{comparison.settings.folds});
    about.facts.emplace_back("null_draws", std::int64_t{comparison.settings.nullReplicates});
    about.facts.emplace_back("null", nullMethod(comparison));
    about.facts.emplace_back("intervals", intervalMethod(comparison));
    about.facts.emplace_back("seed", static_cast<std::int64_t>(comparison.settings.seed));
    about.facts.emplace_back("mean_agreement", comparison.agreement);
    about.facts.emplace_back("bits_per_byte_a", comparison.loss.bitsPerByteA);
    about.facts.emplace_back("bits_per_byte_b", comparison.loss.bitsPerByteB);
    about.formulas = std::move(formulas);
    about.notes = comparison.notes;
    for (std::string& sentence : unpairedSentences(comparison))
        about.notes.push_back(std::move(sentence));
    return about;
}

void writeComparisonTable(std::ostream& out, TableFormat format, ComparisonTable table, const Comparison& comparison,
                          const ComparisonExport& what)
{
    const auto columns = columnsOf(table);
    const auto writer = makeTableWriter(out, format, columns, aboutComparison(comparison, what, columns));
    switch (table) {
    case ComparisonTable::Routers:
        for (const RouterComparison& pair : comparison.routers)
            writer->row(routerCells(pair));
        break;
    case ComparisonTable::Tokens:
        for (std::size_t unit = 0; unit < comparison.units.size(); ++unit)
            writer->row(tokenCells(comparison, unit, what.traces));
        break;
    case ComparisonTable::Experts:
        for (const RouterComparison& pair : comparison.routers)
            addExperts(*writer, pair, what.traces);
        break;
    case ComparisonTable::Attention:
        for (const ComparedMaps& maps : what.attention)
            writer->row(attentionCells(maps, what.traces));
        break;
    case ComparisonTable::Cost:
        writer->row(costCells("A", comparedNames(comparison).a, *comparison.a, what));
        writer->row(costCells("B", comparedNames(comparison).b, *comparison.b, what));
        break;
    }
    writer->finish();
}

} // namespace headscope::core
