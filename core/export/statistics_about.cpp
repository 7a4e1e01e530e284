// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/corpus_facts.h"
#include "core/export/statistics_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace headscope::core {

namespace {

std::int64_t whole(std::uint64_t count)
{
    return static_cast<std::int64_t>(count);
}

void addCounts(Facts& facts, const Counts& counts)
{
    addModelFacts(facts, counts.basis);
    for (const StreamCounts& stream : counts.streams)
        addCorpusFacts(facts, stream.corpus, counts.streams.size() == 1 ? "" : stream.name + ".");
    addWindowFacts(facts, counts.basis);
    if (!counts.parts.parts.empty())
        facts.emplace_back("parts", fmt::format("{} of {}", fmt::join(counts.parts.parts, ", "), counts.parts.of));
}

void addSettings(Facts& facts, const Counts& counts, const StatisticsExport& what, StatisticsTable table)
{
    const PairSettings& pairs = what.pairs;
    facts.emplace_back("table", std::string(toString(table)));
    facts.emplace_back("rows", std::string(toString(what.unit)));
    facts.emplace_back("letter_case", std::string(toString(what.letters)));
    facts.emplace_back("pooled_over", std::string(toString(what.pooling)));
    facts.emplace_back("weighted_by", pairs.weighting ? std::string(toString(*pairs.weighting))
                                                      : "selections; gates for routers that choose every expert (k = E)");
    facts.emplace_back("min_count", pairs.minimum);
    facts.emplace_back("min_pair_count", pairs.minimumPair);
    facts.emplace_back("alpha", pairs.alpha);
    facts.emplace_back("intervals", std::string(pairs.bootstrap.replicates > 0
                                                    ? "jackknife of log2 lift over groups of documents, Student's t"
                                                    : "left out"));
    facts.emplace_back("bootstrap_level", pairs.bootstrap.level);
    facts.emplace_back("bootstrap_groups", std::int64_t{counts.basis.groups});
    facts.emplace_back("sorted_by", std::string(info(what.sort).name));
    facts.emplace_back("top", static_cast<std::int64_t>(what.top));
    if (!what.filter.empty())
        facts.emplace_back("filter", what.filter);
}

/// What is the same for all rows of a table.
RouterTable withoutRows(const Counts& counts, const TablePlan& plan, RowUnit unit)
{
    const RouterCounts& first = counts.routers[plan.members.front()];
    const StreamCounts& stream = counts.streamOf(first);
    RouterTable table;
    table.experts = first.router.experts;
    table.chosen = first.router.chosen;
    table.documents = whole(stream.corpus.documents);
    if (unit == RowUnit::Pieces) {
        table.expected.resize(1);
        table.groups.groups = counts.basis.groups;
        table.groups.documents.assign(stream.groupDocuments.begin(), stream.groupDocuments.end());
        table.groups.positions.assign(stream.groupPositions.begin(), stream.groupPositions.end());
    }
    return table;
}

std::string poolingNote(Pooling pooling)
{
    switch (pooling) {
    case Pooling::None: return {};
    case Pooling::Heads:
        return "Routers of a site are added up over its heads: experts of the same number in different heads are different "
               "weights.";
    case Pooling::Repeats:
        return "Routers are added up over the repeats of their weights group: the same weights at different depths.";
    case Pooling::Layers:
        return "Routers are added up over layers: experts of the same number in different layers are different weights.";
    }
    return {};
}

/// "null_pmi is blank for layers.0.self.v, …: reason", one for each reason.
void addBlanks(std::vector<std::string>& notes, const Counts& counts, const StatisticsExport& what)
{
    std::map<std::string, std::vector<std::string>> routersOf; // by "columns are blank: reason"
    const std::vector<TablePlan> plans = tablePlans(counts, what.routers, what.pooling);
    for (const TablePlan& plan : plans) {
        const BlankColumns blank = blankColumns(withoutRows(counts, plan, what.unit), what.pairs);
        for (const auto& [columns, why] :
             {std::pair("null_pmi", blank.null), {"pmi_low and pmi_high", blank.interval}, {"g2, p and q", blank.test}}) {
            if (!why.empty())
                routersOf[fmt::format("Blank {}: {}", columns, why)].push_back(plan.router);
        }
    }
    for (const auto& [sentence, routers] : routersOf) {
        const bool all = routers.size() == plans.size();
        notes.push_back(all ? sentence : fmt::format("{} (Routers: {}.)", sentence, fmt::join(routers, ", ")));
    }
}

} // namespace

About aboutStatistics(const Counts& counts, const StatisticsExport& what, StatisticsTable table,
                      std::vector<DataColumn> formulas)
{
    About about;
    about.facts.emplace_back("program", what.program);
    addCounts(about.facts, counts);
    if (!what.note.empty())
        about.facts.emplace_back("corpus_note", what.note);
    addSettings(about.facts, counts, what, table);
    about.formulas = std::move(formulas);
    if (const std::string note = poolingNote(what.pooling); !note.empty())
        about.notes.push_back(note);
    if (what.unit == RowUnit::Words)
        about.notes.emplace_back(
            "A row is a word; each routed position counts once, under the word that holds its token's first byte; positions "
            "between words count for none, so N is smaller than counted_positions.");
    if (table == StatisticsTable::Pairs) {
        addBlanks(about.notes, counts, what);
        about.notes.emplace_back("p-values are exploratory: the choices of a position depend on each other and tokens "
                                 "cluster in documents. Rank by "
                                 "effect with its interval, beside null_pmi.");
    }
    return about;
}

} // namespace headscope::core
