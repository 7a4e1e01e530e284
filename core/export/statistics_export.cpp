// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/statistics_export.h"

#include "core/checkpoint/message_text.h"
#include "core/export/base64.h"
#include "core/export/top_tokens.h"
#include "core/stats/information.h"
#include "core/stats/load_summary.h"
#include "core/tokenizer/displayed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>

namespace headscope::core {

namespace {

constexpr std::size_t topTokensOfAnExpert = 10; // in tables of papers and of experts, where no number is asked for

std::int64_t whole(std::uint64_t count)
{
    return static_cast<std::int64_t>(count);
}

// ── Pairs ──

/// The columns that every long table of pairs begins with are those of PairColumn up to PMI, after the names.
constexpr int leadingColumns = static_cast<int>(PairColumn::Pmi) + 1;

DataColumn columnOf(PairColumn column)
{
    return {std::string(info(column).name), std::string(info(column).formula)};
}

std::vector<DataColumn> pairColumnsOfFiles()
{
    std::vector<DataColumn> columns{{"router", "address of the router"},
                                    {"expert", "e, its number in that router"},
                                    {"id", "token id; blank for words and where several pieces are one row"},
                                    {"token", "t as the vocabulary spells it, or the word"}};
    for (int column = 0; column < leadingColumns; ++column)
        columns.push_back(columnOf(static_cast<PairColumn>(column)));
    columns.push_back({"display", "the token with white space and shapeless characters made visible"});
    columns.push_back({"token_base64", "its bytes, where they are not UTF-8"});
    for (int column = leadingColumns; column < pairColumns; ++column)
        columns.push_back(columnOf(static_cast<PairColumn>(column)));
    return columns;
}

DataCell numberCell(double number, bool integer)
{
    if (std::isnan(number))
        return {};
    if (integer)
        return static_cast<std::int64_t>(number);
    return number;
}

DataCell idCell(const RowName& name)
{
    if (name.id)
        return std::int64_t{*name.id};
    return {};
}

void addPairs(DataTableWriter& writer, const RouterTable& table, const StatisticsExport& what, const Progress& progress)
{
    const PairTable statistics = keptStatistics(table, what, progress);
    std::vector<DataCell> cells;
    constexpr std::size_t rowsBetweenQuestions = 1024;
    std::size_t rows = 0;
    for (const std::size_t index : sortedByExpert(table, statistics, what.sort, what.top)) {
        if (++rows % rowsBetweenQuestions == 0)
            progress.checkpoint();
        const PairStatistics& pair = statistics.pairs[index];
        const RowName& name = (*table.rows)[pair.row];
        const auto add = [&](int column) {
            const auto which = static_cast<PairColumn>(column);
            cells.push_back(numberCell(value(table, pair, which), info(which).integer));
        };
        cells.assign({table.router, std::int64_t{pair.expert}, idCell(name), name.text});
        for (int column = 0; column < leadingColumns; ++column)
            add(column);
        cells.emplace_back(displayed(name.text));
        cells.push_back(isUtf8(name.text) ? DataCell{} : DataCell(base64(name.text)));
        for (int column = leadingColumns; column < pairColumns; ++column)
            add(column);
        writer.row(cells);
    }
}

// ── Experts ──

const std::vector<DataColumn>& expertColumns()
{
    static const std::vector<DataColumn> columns{
        {"router", "address of the router"},
        {"expert", "e"},
        {"n_e", "n(e): positions where e is chosen"},
        {"N", "N: routed positions"},
        {"share", "f_e = n(e)/(kN)"},
        {"relative_load", "E·f_e: 1 is uniform load"},
        {"gate_mass", "G(e): sum of its gates"},
        {"mean_gate", "G(e)/n(e)"},
        {"mean_probability", "P_e: mean of softmax(logits)_e; blank for routers that are no softmax"},
        {"token_entropy", "H(T|e) = -Σ_t P(t|e)·log2 P(t|e), bits"},
        {"effective_tokens", "2^H(T|e)"},
        {"pmi_bound", "log2(N/n(e)): PMI of a token that always picks e"},
        {"top_tokens", "its first rows by sorted_by, display form"},
    };
    return columns;
}

void addExperts(DataTableWriter& writer, const RouterTable& table, const StatisticsExport& what, const Progress& progress)
{
    const RouterSummary summary = routerSummary(table);
    StatisticsExport wanted = what;
    if (what.sort != PairColumn::PmiLow && what.sort != PairColumn::PmiHigh)
        wanted.pairs.bootstrap.replicates = 0;
    const PairTable statistics = keptStatistics(table, wanted, progress);
    const auto tops = topLists(table, statistics, what.sort, what.top);
    for (const ExpertSummary& expert : summary.experts) {
        std::vector<std::string> names;
        for (const PairStatistics& pair : tops[static_cast<std::size_t>(expert.expert)])
            names.push_back(displayed((*table.rows)[pair.row].text));
        writer.row({table.router, std::int64_t{expert.expert}, expert.selections, table.positions, expert.share,
                    expert.relative, table.gateMass[static_cast<std::size_t>(expert.expert)], expert.meanGate,
                    expert.meanProbability, expert.tokenEntropy, expert.effectiveTokens, expert.pmiBound,
                    fmt::format("{}", fmt::join(names, " "))});
    }
}

// ── Routers ──

const std::vector<DataColumn>& routerColumns()
{
    static const std::vector<DataColumn> columns{
        {"router", "address of the router"},
        {"members", "the routers that are added up in it"},
        {"experts", "E"},
        {"chosen", "k"},
        {"gate", "what its gates are"},
        {"N", "N: routed positions"},
        {"documents", "documents counted"},
        {"load_entropy", "-Σ f_e ln f_e / ln E: 1 is uniform load"},
        {"expected_load_entropy", "its mean under uniform routing at this N, n(e) binomial(N, k/E): 1 - (E - k)/(2kN ln E) but "
                                  "for small N"},
        {"max_violation", "max_e E·f_e - 1"},
        {"gini", "Σ_a Σ_b |f_a - f_b|/(2E)"},
        {"dead", "experts that were never chosen"},
        {"within_band", "share of experts with E·f_e in [0.7, 1.3]"},
        {"balance_loss", "L_a = E·Σ f_e·P_e; softmax routers only, blank otherwise"},
        {"z_loss", "L_z = mean of (log Σ exp logits)²; softmax routers only, blank otherwise"},
        {"why_no_losses", "why the two are blank"},
        {"pmi_bound", "log2(E/k): PMI of a token that always picks the same experts, under uniform load"},
        {"chance_overlap", "Σ_e i(e)²/k, i(e) = n(e)/N: share of experts that two random positions have in common"},
        {"uniform_overlap", "k/E: the same under uniform load"},
        {"constant_guess", "share of the choices that naming the k most loaded experts gets right"},
        {"token_guess",
         "share that naming each token's own k most frequent experts gets right (on the text it was learned on)"},
        {"choice_entropy", "H(E) of selections, bits"},
        {"explainable", "what knowing everything could explain, bits: H(E) - log2 k; of M pooled routers H(E) less the mean "
                        "over positions of -Σ_e c(e)/(kM)·log2(c(e)/(kM)), c(e) of them choosing e"},
        {"token_bits", "I(E;T): mutual information of choice and token, bits"},
        {"token_null_bits", "its mean when the choices are shuffled over positions, those of pooled routers together "
                            "(exact)"},
        {"token_share", "(token_bits - token_null_bits)/(explainable - token_null_bits): 1 where the token decides "
                        "(adjusted mutual information)"},
        {"previous_bits", "I(E;P|T): with the token before, given the token; of the frequent tokens"},
        {"previous_null_bits", "its mean when the choices are shuffled within each token, those of pooled routers each on its "
                               "own"},
        {"previous_share", "(previous_bits - previous_null_bits)/explainable"},
        {"previous_coverage", "share of the positions it is computed on"},
        {"place_bits", "I(E;B|T): with the bin (0, 1, 2-3, 4-7, …) of the position in its window, given the token; of the "
                       "frequent tokens"},
        {"place_null_bits", "its mean when the choices are shuffled within each token, those of pooled routers each on its own"},
        {"place_share", "(place_bits - place_null_bits)/explainable"},
        {"place_coverage", "share of the positions it is computed on"},
        {"why_not_explained", "why some of the columns before are blank"},
        {"margin_p01", "first percentile of its margins in logits (lower edge of a bin an eighth of a power of two wide); "
                       "blank for pooled routers "
                       "and where nothing is rejected"},
    };
    return columns;
}

void addExplained(std::vector<DataCell>& cells, const std::optional<Explained>& explained, bool withCoverage)
{
    if (!explained) {
        cells.resize(cells.size() + (withCoverage ? 4 : 3));
        return;
    }
    cells.insert(cells.end(), {explained->information.bits, explained->information.shuffledBits, explained->share});
    if (withCoverage)
        cells.emplace_back(explained->coverage);
}

void addRouter(DataTableWriter& writer, const RouterTable& table, const Counts& counts, const TablePlan& plan)
{
    const RouterSummary summary = routerSummary(table);
    const Decomposition parts = decomposition(table);
    std::vector<DataCell> cells{table.router,
                                fmt::format("{}", fmt::join(table.members, " ")),
                                std::int64_t{table.experts},
                                std::int64_t{table.chosen},
                                std::string(toString(table.gate)),
                                table.positions,
                                table.documents,
                                summary.load.entropy,
                                summary.load.expectedEntropy,
                                summary.maxViolation,
                                summary.gini,
                                std::int64_t{summary.load.dead},
                                summary.withinBand,
                                summary.balanceLoss,
                                summary.zLoss,
                                summary.whyNoLosses,
                                summary.pmiBound,
                                summary.chanceOverlap,
                                summary.uniformOverlap,
                                summary.constantGuess,
                                summary.tokenGuess,
                                parts.entropy,
                                parts.explainable};
    addExplained(cells, parts.token, false);
    addExplained(cells, parts.previous, true);
    addExplained(cells, parts.place, true);
    cells.emplace_back(parts.whyBlank.empty() ? parts.whyNoContext : parts.whyBlank);
    const std::optional<float> percentile =
        plan.members.size() == 1 ? marginPercentile(counts.routers[plan.members.front()].margins, 0.01) : std::nullopt;
    cells.push_back(percentile ? DataCell(static_cast<double>(*percentile)) : DataCell());
    writer.row(cells);
}

// ── Tags ──

const std::vector<DataColumn>& tagColumns()
{
    static const std::vector<DataColumn> columns{
        {"router", "address of the router"},
        {"tag", "name of the tag; empty for positions without one"},
        {"expert", "e"},
        {"n_tag_e", "n(tag,e): positions of the tag where e is chosen"},
        {"n_tag", "n(tag)"},
        {"n_e", "n(e)"},
        {"N", "N"},
        {"p_e_given_tag", "P(e|tag) = n(tag,e)/(k·n(tag))"},
        {"load", "p(e) = n(e)/(kN)"},
        {"lift", "P(e|tag)/p(e)"},
    };
    return columns;
}

void addTags(DataTableWriter& writer, const RouterTable& table)
{
    const std::vector<TagLoad> loads = tagLoads(table);
    const double all = static_cast<double>(table.positions) * table.chosen;
    for (std::size_t tag = 0; tag < loads.size(); ++tag) {
        for (std::size_t e = 0; e < loads[tag].share.size(); ++e)
            writer.row({table.router, loads[tag].name, static_cast<std::int64_t>(e), table.tags[tag].selections[e],
                        loads[tag].positions, table.selections[e], table.positions, loads[tag].share[e],
                        static_cast<double>(table.selections[e]) / all, loads[tag].lift[e]});
    }
}

// ── Experts chosen together ──

const std::vector<DataColumn>& togetherColumns()
{
    static const std::vector<DataColumn> columns{
        {"router_a", "address of a router; of two routers the one at the source (v)"},
        {"expert_a", "a, an expert of it"},
        {"router_b", "the same router, or that of the same head at the destination (o)"},
        {"expert_b", "b, an expert of it"},
        {"n_ab", "n(a,b): positions where both are chosen"},
        {"n_a", "n(a)"},
        {"n_b", "n(b)"},
        {"N", "N"},
        {"lift", "n(a,b)·N/(n(a)·n(b))"},
    };
    return columns;
}

void addTogether(DataTableWriter& writer, const Counts& counts, const RouterCounts& a, const RouterCounts& b,
                 std::span<const std::uint64_t> together)
{
    const auto positions = static_cast<double>(counts.streamOf(a).corpus.positions);
    for (std::size_t i = 0; i < a.selections.size(); ++i) {
        for (std::size_t j = &a == &b ? i + 1 : 0; j < b.selections.size(); ++j) {
            const std::uint64_t both = together[i * b.selections.size() + j];
            const double expected = static_cast<double>(a.selections[i]) * static_cast<double>(b.selections[j]);
            writer.row({a.router.address.toString(), static_cast<std::int64_t>(i), b.router.address.toString(),
                        static_cast<std::int64_t>(j), whole(both), whole(a.selections[i]), whole(b.selections[j]),
                        whole(counts.streamOf(a).corpus.positions),
                        expected > 0 ? DataCell(static_cast<double>(both) * positions / expected) : DataCell()});
        }
    }
}

void addAllTogether(DataTableWriter& writer, const Counts& counts, const StatisticsExport& what)
{
    const auto chosen = [&](std::size_t router) {
        return std::find(what.routers.begin(), what.routers.end(), router) != what.routers.end();
    };
    for (const std::size_t index : what.routers) {
        const RouterCounts& router = counts.routers[index];
        if (router.router.chosen > 1)
            addTogether(writer, counts, router, router, router.together);
    }
    for (const JointCounts& joint : counts.joint) {
        if (chosen(joint.source) && chosen(joint.destination))
            addTogether(writer, counts, counts.routers[joint.source], counts.routers[joint.destination], joint.together);
    }
}

constexpr std::array<std::pair<StatisticsTable, std::string_view>, 5> tableNames{{
    {StatisticsTable::Pairs, "pairs"},
    {StatisticsTable::Experts, "experts"},
    {StatisticsTable::Routers, "routers"},
    {StatisticsTable::Tags, "tags"},
    {StatisticsTable::Together, "together"},
}};

std::vector<DataColumn> columnsOf(StatisticsTable table)
{
    switch (table) {
    case StatisticsTable::Pairs: return pairColumnsOfFiles();
    case StatisticsTable::Experts: return expertColumns();
    case StatisticsTable::Routers: return routerColumns();
    case StatisticsTable::Tags: return tagColumns();
    case StatisticsTable::Together: return togetherColumns();
    }
    return {};
}

} // namespace

std::string_view toString(StatisticsTable table)
{
    return tableNames[static_cast<std::size_t>(table)].second;
}

std::optional<StatisticsTable> statisticsTable(std::string_view name)
{
    const auto found =
        std::find_if(tableNames.begin(), tableNames.end(), [name](const auto& entry) { return entry.second == name; });
    return found == tableNames.end() ? std::nullopt : std::optional(found->first);
}

PairTable keptStatistics(const RouterTable& table, const StatisticsExport& what, const Progress& progress)
{
    PairTable statistics = pairStatistics(table, what.pairs, progress);
    if (what.keep)
        std::erase_if(statistics.pairs, [&](const PairStatistics& pair) { return !what.keep((*table.rows)[pair.row]); });
    return statistics;
}

std::vector<std::vector<PairStatistics>> topLists(const RouterTable& table, const PairTable& statistics, PairColumn sort,
                                                  std::size_t top)
{
    std::vector<std::vector<PairStatistics>> lists(static_cast<std::size_t>(table.experts));
    for (const std::size_t index : sortedByExpert(table, statistics, sort, top))
        lists[statistics.pairs[index].expert].push_back(statistics.pairs[index]);
    return lists;
}

void forEachTable(const Counts& counts, const StatisticsExport& what, const Progress& progress,
                  const std::function<void(const RouterTable&, const TablePlan&)>& use)
{
    std::map<int, RowMap> rows;
    const std::vector<TablePlan> plans = tablePlans(counts, what.routers, what.pooling);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(plans.size()), plans[i].router);
        const auto found = rows.find(plans[i].stream);
        const RowMap& map =
            found != rows.end()
                ? found->second
                : rows.emplace(plans[i].stream, rowMap(counts, plans[i].stream, what.unit, what.letters)).first->second;
        use(routerTable(counts, plans[i], map), plans[i]);
    }
}

namespace {

/// Where no number was asked for, what is written for readers has few tokens; `about` says how many.
StatisticsExport withWrittenTop(StatisticsExport what, StatisticsTable table, bool read)
{
    if (what.top == 0 && (table == StatisticsTable::Experts || (table == StatisticsTable::Pairs && read)))
        what.top = topTokensOfAnExpert;
    return what;
}

} // namespace

void writeStatistics(std::ostream& out, TableFormat format, StatisticsTable table, const Counts& counts,
                     const StatisticsExport& asked, const Progress& progress)
{
    if (table == StatisticsTable::Tags && counts.basis.tags.empty())
        throw Error("No tags were counted in this pass; count the corpus again with --tags.");
    const bool read = format == TableFormat::Markdown || format == TableFormat::Latex;
    const StatisticsExport what = withWrittenTop(asked, table, read);
    const About about = aboutStatistics(counts, what, table, columnsOf(table));
    if (table == StatisticsTable::Pairs && read)
        return writeTopTokens(out, format, counts, what, about, progress);
    const auto writer = makeTableWriter(out, format, columnsOf(table), about);
    if (table == StatisticsTable::Together) {
        addAllTogether(*writer, counts, what);
        return writer->finish();
    }
    const Progress quiet = progress.quiet(); // what a single table reports is less than the number of tables says
    forEachTable(counts, what, progress, [&](const RouterTable& of, const TablePlan& plan) {
        switch (table) {
        case StatisticsTable::Pairs: return addPairs(*writer, of, what, quiet);
        case StatisticsTable::Experts: return addExperts(*writer, of, what, quiet);
        case StatisticsTable::Routers: return addRouter(*writer, of, counts, plan);
        case StatisticsTable::Tags: return addTags(*writer, of);
        case StatisticsTable::Together: return;
        }
    });
    writer->finish();
}

} // namespace headscope::core
