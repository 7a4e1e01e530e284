// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compare_counts.h"

#include "app/cli/address_glob.h"
#include "app/cli/command_line.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "core/corpus/counts_file.h"
#include "core/export/counts_comparison_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace headscope::app {

namespace {

constexpr std::size_t tokensShown = 12; // of a pair of routers

std::string number(double value)
{
    return std::isnan(value) ? std::string("–") : fmt::format("{:.3f}", value);
}

std::vector<std::size_t> chosen(const core::CountsComparison& comparison, const std::vector<std::string>& patterns)
{
    std::vector<core::RouterAddress> addresses;
    for (const core::CountedRouterComparison& pair : comparison.routers)
        addresses.push_back(pair.a);
    const auto wanted = patterns.empty() ? addresses : selectRouters(addresses, patterns);
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (std::ranges::find(wanted, addresses[i]) != wanted.end())
            indices.push_back(i);
    }
    return indices;
}

void printRouters(const CommandContext& context, const core::CountsComparisonExport& what)
{
    using Align = Table::Align;
    Table table({{"A"},
                 {"B"},
                 {"expected agreement", Align::Right},
                 {"chance", Align::Right},
                 {"load JSD", Align::Right},
                 {"stability", Align::Right}});
    for (const std::size_t index : what.routers) {
        const core::CountedRouterComparison& pair = what.comparison.routers[index];
        table.add({pair.a.toString(), pair.b.toString(), number(pair.expectedAgreement), number(pair.chance),
                   number(pair.loadDivergence), number(pair.stability)});
    }
    table.print(context.out);
}

void printTokens(const CommandContext& context, const core::CountsComparisonExport& what, const core::Progress& progress)
{
    using Align = Table::Align;
    for (const std::size_t index : what.routers) {
        const core::CountedRouterComparison& pair = what.comparison.routers[index];
        auto rows = core::tokenDifferences(what.a, what.b, pair, what.pairs, progress);
        std::erase_if(rows, [](const core::TokenDifference& row) { return std::isnan(row.difference); });
        std::ranges::stable_sort(rows, std::greater<>(),
                                 [](const core::TokenDifference& row) { return std::abs(row.difference); });
        rows.resize(std::min(rows.size(), tokensShown));
        Table table({{"token"},
                     {"A", Align::Right},
                     {"B", Align::Right},
                     {"PMI A", Align::Right},
                     {"PMI B", Align::Right},
                     {"B - A", Align::Right}});
        for (const core::TokenDifference& row : rows)
            table.add({printable(row.piece), std::to_string(row.expertA), std::to_string(row.expertB), number(row.pmiA),
                       number(row.pmiB), number(row.difference)});
        context.out << fmt::format("{} and {}: the largest differences of matched experts\n", pair.a.toString(),
                                   pair.b.toString());
        table.print(context.out, "  ");
        context.out << '\n';
    }
}

} // namespace

void compareCountsFiles(const CompareCountsLine& line, const CommandContext& context)
{
    ProgressLine shown(context);
    const core::Progress progress = shown.progress();
    const core::Counts a = core::readCounts(line.a, progress);
    const core::Counts b = core::readCounts(line.b, progress);
    const core::CountsComparison comparison = core::compareCounts(a, b, line.settings, {}, progress);
    core::CountsComparisonExport what{.a = a,
                                      .b = b,
                                      .comparison = comparison,
                                      .program = fmt::format("Headscope {}", version()),
                                      .routers = chosen(comparison, line.routers),
                                      .pairs = {}};
    what.pairs.minimum = line.minimum;
    what.pairs.bootstrap.replicates = 0;
    if (line.out.given()) {
        const auto table = line.tokens ? core::CountsComparisonTable::Tokens : core::CountsComparisonTable::Routers;
        line.out.write([&](std::ostream& out, core::TableFormat format) {
            core::writeCountsComparison(out, format, table, what, progress);
        });
        shown.wipe();
    } else {
        shown.wipe();
        context.out << fmt::format("A {} ({}), B {} ({}), over {}\nmatching: {}. {}\n\n", a.basis.model, a.basis.variant,
                                   b.basis.model, b.basis.variant,
                                   comparison.sameCorpus ? "the same corpus" : "different corpora",
                                   core::toString(comparison.matching), comparison.whyMatching);
        if (line.tokens)
            printTokens(context, what, progress);
        else
            printRouters(context, what);
    }
    printNotes(context, comparison.notes);
}

} // namespace headscope::app
