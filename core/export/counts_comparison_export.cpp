// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/counts_comparison_export.h"

#include "core/export/corpus_facts.h"
#include "core/tokenizer/displayed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

namespace headscope::core {
namespace {

std::vector<DataColumn> routerColumns()
{
    return {{"a", "router of A"},
            {"b", "router of B"},
            {"experts_a", "E of A"},
            {"experts_b", "E of B"},
            {"chosen_a", "k of A"},
            {"chosen_b", "k of B"},
            {"expected_agreement", "Σ_t m(t)·Σ_e P_A(e|t)·P_B(π e|t) / min(k_A, k_B) / Σ_t m(t): what two share that decide "
                                   "independently given the token"},
            {"chance", "the same not given the token: Σ_e i_A(e)·i_B(π e) / min(k_A, k_B), i(e) = n(e)/N"},
            {"load_jsd", "Jensen-Shannon divergence of the matched experts' shares of selections, bits; where the halves match "
                         "differently the mean of theirs"},
            {"experts", "π: the counterpart of each expert of A, - for none"},
            {"stability", "share of the experts that both halves of the documents match the same"}};
}

std::vector<DataColumn> tokenColumns()
{
    return {{"a", "router of A"},
            {"expert_a", "its expert"},
            {"b", "router of B"},
            {"expert_b", "π: its counterpart"},
            {"id", "token id"},
            {"token", "as the vocabulary spells it"},
            {"n_te_a", "n(t,e) of A"},
            {"n_te_b", "of B"},
            {"n_t_a", "n(t) of A"},
            {"n_t_b", "of B"},
            {"pmi_a", "log2(p(t,e)/(p(t)·p(e))) of A; blank where the pair never occurred"},
            {"pmi_b", "of B"},
            {"difference", "pmi_b - pmi_a"},
            {"display", "the token with white space and shapeless characters made visible"}};
}

std::string experts(const std::vector<int>& expertOfB)
{
    std::vector<std::string> names;
    for (const int expert : expertOfB)
        names.push_back(expert < 0 ? "-" : fmt::format("{}", expert));
    return fmt::format("{}", fmt::join(names, " "));
}

void addModel(About& about, const std::string& which, const Counts& counts)
{
    about.facts.emplace_back(which, counts.basis.model);
    about.facts.emplace_back(which + "_variant", counts.basis.variant);
    about.facts.emplace_back(which + "_fingerprint", counts.basis.fingerprint);
    addEvaluationFacts(about.facts, counts.basis.evaluation, which + "_");
    for (const StreamCounts& stream : counts.streams) {
        about.facts.emplace_back(which + "_corpus_hash", toString(stream.corpus.hash));
        about.facts.emplace_back(which + "_positions", static_cast<std::int64_t>(stream.corpus.positions));
    }
}

About aboutOf(const CountsComparisonExport& what, CountsComparisonTable table, const std::vector<DataColumn>& columns)
{
    About about;
    about.facts.emplace_back("program", what.program);
    addModel(about, "a", what.a);
    addModel(about, "b", what.b);
    about.facts.emplace_back("matching", std::string(toString(what.comparison.matching)));
    about.facts.emplace_back("why_this_matching", what.comparison.whyMatching);
    if (table == CountsComparisonTable::Tokens)
        about.facts.emplace_back("min_count", what.pairs.minimum);
    else if (what.comparison.settings.minimumTokens > 0)
        about.facts.emplace_back("min_count", what.comparison.settings.minimumTokens);
    about.facts.emplace_back("mean_expected_agreement", what.comparison.expectedAgreement);
    about.formulas = columns;
    about.notes = what.comparison.notes;
    for (const UnpairedRouter& router : what.comparison.onlyA)
        about.notes.push_back(fmt::format("{} of A has no counterpart: {}", router.address.toString(), router.why));
    for (const UnpairedRouter& router : what.comparison.onlyB)
        about.notes.push_back(fmt::format("{} of B has no counterpart: {}", router.address.toString(), router.why));
    return about;
}

void addTokens(DataTableWriter& writer, const CountedRouterComparison& pair, const CountsComparisonExport& what,
               const Progress& progress)
{
    for (const TokenDifference& row : tokenDifferences(what.a, what.b, pair, what.pairs, progress))
        writer.row({pair.a.toString(), std::int64_t{row.expertA}, pair.b.toString(), std::int64_t{row.expertB},
                    std::int64_t{row.id}, row.piece, row.countA, row.countB, row.tokenA, row.tokenB, row.pmiA, row.pmiB,
                    row.difference, displayed(row.piece)});
}

} // namespace

void writeCountsComparison(std::ostream& out, TableFormat format, CountsComparisonTable table,
                           const CountsComparisonExport& what, const Progress& progress)
{
    const auto columns = table == CountsComparisonTable::Routers ? routerColumns() : tokenColumns();
    const auto writer = makeTableWriter(out, format, columns, aboutOf(what, table, columns));
    for (const std::size_t index : what.routers) {
        progress.checkpoint();
        const CountedRouterComparison& pair = what.comparison.routers.at(index);
        if (table == CountsComparisonTable::Tokens) {
            addTokens(*writer, pair, what, progress);
            continue;
        }
        writer->row({pair.a.toString(), pair.b.toString(), std::int64_t{pair.expertsA}, std::int64_t{pair.expertsB},
                     std::int64_t{pair.chosenA}, std::int64_t{pair.chosenB}, pair.expectedAgreement, pair.chance,
                     pair.loadDivergence, experts(pair.expertOfB), pair.stability});
    }
    writer->finish();
}

} // namespace headscope::core
