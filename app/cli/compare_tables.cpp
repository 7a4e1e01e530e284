// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compare_tables.h"

#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "core/export/comparison_export.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace headscope::app {

namespace {

std::string number(double value)
{
    return std::isnan(value) ? std::string("–") : fmt::format("{:.3f}", value);
}

std::string interval(const core::Interval& range)
{
    return std::isnan(range.low) ? std::string("–") : fmt::format("{:.3f}–{:.3f}", range.low, range.high);
}

/// "0→2 1→0 2→–"
std::string arrows(const std::vector<int>& expertOfB)
{
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t e = 0; e < expertOfB.size() && e < most; ++e)
        text +=
            fmt::format("{}{}→{}", e == 0 ? "" : " ", e, expertOfB[e] < 0 ? std::string("–") : std::to_string(expertOfB[e]));
    return expertOfB.size() > most ? text + " …" : text;
}

} // namespace

void printComparison(const CommandContext& context, const core::Comparison& comparison)
{
    const core::ComparedNames names = core::comparedNames(comparison);
    const auto kind = [](const core::ModelInfo& info) {
        return info.visibility.segment > 0 ? fmt::format("{}; {}", info.variant, core::toString(core::evaluationMode(info)))
                                           : info.variant;
    };
    context.out << fmt::format("A {} ({}), B {} ({})\n", names.a, kind(*comparison.a), names.b, kind(*comparison.b));
    context.out << fmt::format("{} units of text{}; bits per byte A {}, B {}\n", comparison.alignment.units.size(),
                               comparison.alignment.sameTokens ? "" : " (tokenizers differ)",
                               number(comparison.loss.bitsPerByteA), number(comparison.loss.bitsPerByteB));
    context.out << fmt::format("matching: {}. {}\n\n", core::toString(comparison.matching), comparison.whyMatching);
    using Align = Table::Align;
    Table table({{"A"},
                 {"B"},
                 {"agreement", Align::Right},
                 {"95 %"},
                 {"chance", Align::Right},
                 {"null 95 %"},
                 {"bound", Align::Right},
                 {"experts"}});
    for (const core::RouterComparison& pair : comparison.routers)
        table.add({pair.a.toString(), pair.b.toString(), number(pair.agreement), interval(pair.interval),
                   number(pair.chance), interval(pair.null), number(pair.bound), arrows(pair.expertOfB)});
    table.print(context.out);
    std::vector<std::string> notes = comparison.notes;
    const std::vector<std::string> unpaired = core::unpairedSentences(comparison);
    notes.insert(notes.end(), unpaired.begin(), unpaired.end());
    printNotes(context, notes);
}

} // namespace headscope::app
