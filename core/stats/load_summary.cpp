// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/load_summary.h"

#include "core/routing/load.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace headscope::core {

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();
constexpr double bandLow = 0.7;
constexpr double bandHigh = 1.3;

std::vector<ExpertSummary> expertSummaries(const RouterTable& table, double selections)
{
    std::vector<ExpertSummary> experts(static_cast<std::size_t>(table.experts));
    std::vector<double> entropies(experts.size(), 0);
    for (const TablePair& pair : table.pairs) {
        const double p = static_cast<double>(pair.count) / static_cast<double>(table.selections[pair.expert]);
        entropies[pair.expert] -= p * std::log2(p);
    }
    const auto positions = static_cast<double>(table.positions);
    for (std::size_t e = 0; e < experts.size(); ++e) {
        ExpertSummary& expert = experts[e];
        const auto chosen = static_cast<double>(table.selections[e]);
        expert.expert = static_cast<int>(e);
        expert.selections = table.selections[e];
        expert.share = selections > 0 ? chosen / selections : blank;
        expert.relative = expert.share * table.experts;
        expert.meanGate = chosen > 0 ? table.gateMass[e] / chosen : blank;
        expert.meanProbability = table.softmax && positions > 0 ? table.softmax->probabilities[e] / positions : blank;
        expert.tokenEntropy = chosen > 0 ? std::max(0.0, entropies[e]) : blank;
        expert.effectiveTokens = std::exp2(expert.tokenEntropy);
        expert.pmiBound = chosen > 0 ? std::log2(positions / chosen) : blank;
    }
    return experts;
}

void setEvenness(RouterSummary& summary, const RouterTable& table)
{
    std::vector<double> relative;
    for (const ExpertSummary& expert : summary.experts)
        relative.push_back(expert.relative);
    std::sort(relative.begin(), relative.end());
    const auto experts = static_cast<double>(table.experts);
    summary.maxViolation = relative.back() - 1;
    double weighted = 0; // Σ over ordered pairs of |a - b| = 2 Σ_i (2i + 1 - E)·x_i for ascending x
    double inside = 0;
    for (std::size_t i = 0; i < relative.size(); ++i) {
        weighted += (2 * static_cast<double>(i) + 1 - experts) * relative[i];
        inside += relative[i] >= bandLow && relative[i] <= bandHigh ? 1 : 0;
    }
    summary.gini = weighted / (experts * experts);
    summary.withinBand = inside / experts;
}

void setLosses(RouterSummary& summary, const RouterTable& table)
{
    summary.balanceLoss = summary.zLoss = blank;
    if (!table.softmax) {
        summary.whyNoLosses = table.gate == GateKind::SoftmaxAll || table.gate == GateKind::SoftmaxChosen
                                  ? "The softmax over all experts was not gathered for this table."
                                  : "Defined for softmax routers only.";
        return;
    }
    double sum = 0;
    for (const ExpertSummary& expert : summary.experts)
        sum += expert.share * expert.meanProbability;
    summary.balanceLoss = table.experts * sum;
    summary.zLoss = table.softmax->squaredLogSumExp / static_cast<double>(table.positions);
}

/// Sum of the k largest counts.
double largest(std::vector<std::int64_t> counts, int chosen)
{
    const auto k = std::min(counts.size(), static_cast<std::size_t>(chosen));
    std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(k), counts.end(), std::greater<>());
    return static_cast<double>(
        std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(k), std::int64_t{0}));
}

void setBaselines(RouterSummary& summary, const RouterTable& table, double selections)
{
    const auto positions = static_cast<double>(table.positions);
    for (const std::int64_t count : table.selections)
        summary.chanceOverlap += std::pow(static_cast<double>(count) / positions, 2) / table.chosen;
    summary.constantGuess = largest(table.selections, table.chosen) / selections;
    double guessed = 0; // whole numbers: exact
    for (std::size_t first = 0, last = 0; first < table.pairs.size(); first = last) {
        std::vector<std::int64_t> counts;
        for (last = first; last < table.pairs.size() && table.pairs[last].row == table.pairs[first].row; ++last)
            counts.push_back(table.pairs[last].count);
        guessed += largest(std::move(counts), table.chosen);
    }
    summary.tokenGuess = guessed / selections;
}

} // namespace

RouterSummary routerSummary(const RouterTable& table)
{
    double selections = 0;
    for (const std::int64_t count : table.selections)
        selections += static_cast<double>(count);
    RouterSummary summary;
    summary.load = loadOf(table.selections, table.gateMass, table.chosen);
    summary.experts = expertSummaries(table, selections);
    summary.pmiBound = std::log2(static_cast<double>(table.experts) / table.chosen);
    summary.uniformOverlap = static_cast<double>(table.chosen) / table.experts;
    if (selections <= 0) {
        summary.maxViolation = summary.gini = summary.withinBand = summary.balanceLoss = summary.zLoss = blank;
        summary.chanceOverlap = summary.constantGuess = summary.tokenGuess = blank;
        summary.whyNoLosses = "No position was counted.";
        return summary;
    }
    setEvenness(summary, table);
    setLosses(summary, table);
    setBaselines(summary, table, selections);
    return summary;
}

std::vector<TagLoad> tagLoads(const RouterTable& table)
{
    double selections = 0;
    for (const std::int64_t count : table.selections)
        selections += static_cast<double>(count);
    std::vector<TagLoad> loads;
    for (const TagCounts& tag : table.tags) {
        TagLoad load{tag.name, tag.positions, {}, {}};
        const double all = static_cast<double>(tag.positions) * table.chosen;
        for (std::size_t e = 0; e < tag.selections.size(); ++e) {
            const double share = all > 0 ? static_cast<double>(tag.selections[e]) / all : blank;
            const auto chosen = static_cast<double>(table.selections[e]);
            load.share.push_back(share);
            load.lift.push_back(chosen > 0 ? share * selections / chosen : blank);
        }
        loads.push_back(std::move(load));
    }
    return loads;
}

} // namespace headscope::core
