// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/comparison_report.h"

#include "core/routing/router.h"
#include "core/tokenizer/displayed.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace headscope::core {
namespace {

constexpr std::size_t longestStrip = 600; // units

std::string number(double value, int digits = 3)
{
    return std::isnan(value) ? "–" : fmt::format("{:.{}f}", value, digits);
}

std::string interval(const Interval& range)
{
    return std::isnan(range.low) || std::isnan(range.high) ? "–" : fmt::format("{:.3f} to {:.3f}", range.low, range.high);
}

ReportTable models(const Comparison& comparison, const ComparisonExport& what)
{
    ReportTable table{{"", "A", "B"}, {}};
    const auto row = [&](const std::string& name, const std::string& a, const std::string& b) {
        table.rows.push_back({name, a, b});
    };
    const ModelInfo& a = *comparison.a;
    const ModelInfo& b = *comparison.b;
    const ComparedNames names = comparedNames(comparison);
    row("checkpoint", names.a, names.b);
    row("family", a.family, b.family);
    row("kind", a.variant, b.variant);
    row("parameters", fmt::format("{}", a.parameters), fmt::format("{}", b.parameters));
    row("layers", fmt::format("{}", a.layers), fmt::format("{}", b.layers));
    row("routers", fmt::format("{}", a.routers.size()), fmt::format("{}", b.routers.size()));
    row("memory", toString(evaluationMode(a)), toString(evaluationMode(b)));
    row("fingerprint", what.fingerprintA.substr(0, 16), what.fingerprintB.substr(0, 16));
    row("bits per byte", number(comparison.loss.bitsPerByteA), number(comparison.loss.bitsPerByteB));
    return table;
}

ReportTable costs(const Comparison& comparison, const ComparisonExport& what)
{
    const ModelCost a = comparedCost(*comparison.a, what);
    const ModelCost b = comparedCost(*comparison.b, what);
    ReportTable table{{"attention of all layers", "A", "B"}, {}};
    const auto row = [&](const std::string& name, const std::string& ofA, const std::string& ofB) {
        table.rows.push_back({name, ofA, ofB});
    };
    const auto length = [](const SequenceLength& l) { return fmt::format("{} + {}", l.tokens, l.memory); };
    const auto millions = [](double value) { return fmt::format("{:.1f} M", value / 1e6); };
    row("tokens + memory", length(a.length), length(b.length));
    row("multiply-accumulates", millions(a.all.multiplyAccumulates), millions(b.all.multiplyAccumulates));
    row("of routers, besides", millions(a.all.routing), millions(b.all.routing));
    row("stored floats", millions(a.all.storedFloats), millions(b.all.storedFloats));
    row("attention matrices", fmt::format("{}", a.all.attentionMatrices), fmt::format("{}", b.all.attentionMatrices));
    row("projection matrices stored", fmt::format("{}", a.all.matricesStored), fmt::format("{}", b.all.matricesStored));
    row("computed for a token", fmt::format("{}", a.all.matricesComputed), fmt::format("{}", b.all.matricesComputed));
    row("parameters of projections", millions(static_cast<double>(a.all.parameters)),
        millions(static_cast<double>(b.all.parameters)));
    return table;
}

ReportTable routers(const Comparison& comparison)
{
    ReportTable table{{"A", "B", "agreement", "95 %", "chance", "null 95 %", "bound", "load JSD", "MI", "gates ρ"}, {}};
    for (const RouterComparison& pair : comparison.routers)
        table.rows.push_back({pair.a.toString(), pair.b.toString(),
                              number(pair.agreement) + (pair.tooLittleText ? " (too little text)" : ""),
                              interval(pair.interval), number(pair.chance), interval(pair.null), number(pair.bound),
                              number(pair.loadDivergence), number(pair.mutualInformation), number(pair.gateCorrelation)});
    return table;
}

ReportTable matchings(const Comparison& comparison)
{
    ReportTable table{{"A", "B", "expert of A → expert of B"}, {}};
    for (const RouterComparison& pair : comparison.routers) {
        std::vector<std::string> arrows;
        for (std::size_t e = 0; e < pair.expertOfB.size(); ++e)
            arrows.push_back(fmt::format("{}→{}", e, pair.expertOfB[e] < 0 ? "–" : fmt::format("{}", pair.expertOfB[e])));
        table.rows.push_back({pair.a.toString(), pair.b.toString(), fmt::format("{}", fmt::join(arrows, "  "))});
    }
    return table;
}

/// Experts chosen by any token of the range, those of the first token first.
std::vector<int> chosenIn(const Trace& trace, const RouterAddress& address, const TokenRange& range)
{
    const SiteRouting* const site = trace.site(address);
    const int head = site == nullptr ? -1 : site->headOf(address);
    std::vector<int> experts;
    for (std::size_t token = range.first; head >= 0 && token < range.last; ++token) {
        for (int slot = 0; slot < site->router.chosen; ++slot) {
            const int expert = site->experts[site->slot(static_cast<std::int64_t>(token), head, slot)];
            if (std::ranges::find(experts, expert) == experts.end())
                experts.push_back(expert);
        }
    }
    return experts;
}

ReportStrips strips(const Comparison& comparison, const RouterComparison& pair, const ComparedTraces& traces)
{
    std::vector<int> ofA(static_cast<std::size_t>(std::max(pair.expertsB, 0)), -1); // π⁻¹
    for (std::size_t e = 0; e < pair.expertOfB.size(); ++e) {
        if (pair.expertOfB[e] >= 0)
            ofA[static_cast<std::size_t>(pair.expertOfB[e])] = static_cast<int>(e);
    }
    ReportStrips units;
    for (std::size_t i = 0; i < comparison.alignment.units.size() && i < longestStrip; ++i) {
        const AlignedUnit& unit = comparison.alignment.units[i];
        const auto a = chosenIn(*traces.a, pair.a, unit.a);
        const auto b = chosenIn(*traces.b, pair.b, unit.b);
        std::vector<std::string> names;
        for (const int expert : b) {
            const int counterpart = ofA[static_cast<std::size_t>(expert)];
            names.push_back(counterpart < 0 ? fmt::format("[{}]", expert) : fmt::format("{} [{}]", counterpart, expert));
        }
        ReportUnit shown;
        shown.text = displayed(unitText(unit, traces));
        shown.a = fmt::format("{}", fmt::join(a, " "));
        shown.b = fmt::format("{}", fmt::join(names, " "));
        shown.colourOfA = a.empty() ? -1 : a.front();
        shown.colourOfB = b.empty() ? -1 : ofA[static_cast<std::size_t>(b.front())];
        shown.agreement = i < pair.unitAgreement.size() ? static_cast<double>(pair.unitAgreement[i]) : shown.agreement;
        units.push_back(std::move(shown));
    }
    return units;
}

std::string settingsSentence(const Comparison& comparison, const ComparisonExport& what)
{
    std::string text =
        fmt::format("{}. Matching: {}. {}", what.program, toString(comparison.matching), comparison.whyMatching);
    if (!what.fittedOn.empty())
        text += fmt::format(" The matching was fitted on {}.", what.fittedOn);
    else if (comparison.crossFitted)
        text +=
            fmt::format(" Every one of {} stretches of the text is judged by the matching that was fitted on the others.",
                        comparison.settings.folds);
    return text + fmt::format(" Null of {} draws ({}), seed {}. Intervals: {}.", comparison.settings.nullReplicates,
                              nullMethod(comparison), comparison.settings.seed, intervalMethod(comparison));
}

void addRouters(Report& report, const Comparison& comparison)
{
    report.emplace_back(ReportHeading{2, "Routers"});
    report.emplace_back(std::string("Agreement is the share of the choices that the matched experts of both share, against "
                                    "chance (independent choices of the same loads) and "
                                    "a null (the choices of A or of B permuted over token types and matched anew)."));
    report.emplace_back(routers(comparison));
    for (std::string& sentence : unpairedSentences(comparison))
        report.emplace_back(std::move(sentence));
    report.emplace_back(ReportHeading{2, "Matching"});
    report.emplace_back(matchings(comparison));
}

} // namespace

Report comparisonReport(const Comparison& comparison, const ComparisonExport& what, const std::vector<std::size_t>& pairs)
{
    Report report;
    const ComparedNames names = comparedNames(comparison);
    report.emplace_back(ReportHeading{1, fmt::format("{} and {} on the same text", names.a, names.b)});
    report.emplace_back(settingsSentence(comparison, what));
    report.emplace_back(models(comparison, what));
    if (!std::isnan(comparison.loss.difference.low))
        report.emplace_back(
            fmt::format("B needs {:+.4f} bits per byte against A (95 %: {}), over {} bytes that both predict.",
                        comparison.loss.bitsPerByteB - comparison.loss.bitsPerByteA, interval(comparison.loss.difference),
                        comparison.loss.bytes));
    for (const std::string& note : comparison.notes)
        report.emplace_back(note);
    addRouters(report, comparison);
    report.emplace_back(ReportHeading{2, "Cost"});
    report.emplace_back(costs(comparison, what));
    for (const std::size_t index : pairs) {
        const RouterComparison& pair = comparison.routers.at(index);
        report.emplace_back(ReportHeading{2, fmt::format("{} and {}", pair.a.toString(), pair.b.toString())});
        report.emplace_back(std::string("B's experts carry the number of their counterpart in A, their own in brackets."));
        if (comparison.alignment.units.size() > longestStrip)
            report.emplace_back(fmt::format("The first {} of {} units.", longestStrip, comparison.alignment.units.size()));
        report.emplace_back(strips(comparison, pair, what.traces));
    }
    return report;
}

} // namespace headscope::core
