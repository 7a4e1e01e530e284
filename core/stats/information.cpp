// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/information.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace headscope::core {

namespace {

double xLogX(double x)
{
    return x > 0 ? x * std::log(x) : 0;
}

/// E[X ln X] of X ~ hypergeometric: `drawn` out of `all`, of which `marked` are marked.
double meanXLogX(double all, double marked, double drawn)
{
    const double low = std::max(0.0, drawn + marked - all);
    const double high = std::min(drawn, marked);
    const double mean = drawn * marked / all;
    const double variance = all > 1 ? mean * (1 - marked / all) * (all - drawn) / (all - 1) : 0;
    // A second-order expansion about the mean; the next term is of order variance/mean² below it.
    if (variance > 250'000)
        return xLogX(mean) + variance / (2 * mean);
    // The weights relative to the mode's, outwards until nothing more can be added.
    const double mode = std::clamp(std::floor((drawn + 1) * (marked + 1) / (all + 2)), low, high);
    constexpr double negligible = 1e-20;
    double weights = 1;
    double sum = xLogX(mode);
    double weight = 1;
    for (double x = mode; x < high && weight > negligible; ++x) {
        weight *= (marked - x) * (drawn - x) / ((x + 1) * (all - marked - drawn + x + 1));
        weights += weight;
        sum += weight * xLogX(x + 1);
    }
    weight = 1;
    for (double x = mode; x > low && weight > negligible; --x) {
        weight *= x * (all - marked - drawn + x) / ((marked - x + 1) * (drawn - x + 1));
        weights += weight;
        sum += weight * xLogX(x - 1);
    }
    return sum / weights;
}

/// The margins of a table and the sums that an information needs, class by class.
struct ClassTable {
    std::vector<double> experts;                  // [E], n(e)
    std::map<std::int64_t, std::int64_t> classes; // n(x) → how many classes have it: equal classes have equal means
    double observed = 0;                          // Σ n(x,e)·ln n(x,e)
    double positions = 0;                         // N
    double classSum = 0;                          // Σ n(x)·ln n(x)
};

ClassTable classTable(std::span<const ClassedSelection> cells, int experts, int chosen)
{
    ClassTable table;
    table.experts.assign(static_cast<std::size_t>(experts), 0);
    for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
        std::int64_t selections = 0;
        for (last = first; last < cells.size() && cells[last].kind == cells[first].kind; ++last) {
            const auto count = static_cast<double>(cells[last].count);
            table.experts[cells[last].expert] += count;
            table.observed += xLogX(count);
            selections += cells[last].count;
        }
        const std::int64_t positions = selections / chosen;
        ++table.classes[positions];
        table.positions += static_cast<double>(positions);
        table.classSum += xLogX(static_cast<double>(positions));
    }
    return table;
}

} // namespace

Information information(std::span<const ClassedSelection> cells, int experts, int chosen)
{
    const ClassTable table = classTable(cells, experts, chosen);
    if (table.positions <= 0)
        return {};
    // With p(x,e) = n(x,e)/(kN): kN·I = Σ n(x,e)·ln(n(x,e)·N / (n(x)·n(e)))
    //                                  = Σ n(x,e) ln n(x,e) + kN ln N - k Σ n(x) ln n(x) - Σ n(e) ln n(e), in which only the
    //                                  first sum changes
    // when the choices are shuffled.
    const double k = chosen;
    const double selections = k * table.positions;
    double margins = selections * std::log(table.positions) - k * table.classSum;
    for (const double expert : table.experts)
        margins -= xLogX(expert);
    double shuffled = 0;
    for (const auto& [size, classes] : table.classes) {
        for (const double expert : table.experts) {
            if (expert > 0)
                shuffled += static_cast<double>(classes) * meanXLogX(table.positions, expert, static_cast<double>(size));
        }
    }
    const double scale = 1 / (selections * std::log(2.0));
    return {std::max(0.0, (table.observed + margins) * scale), std::max(0.0, (shuffled + margins) * scale)};
}

namespace {

/// Σ_t n(t)/N'·I_t over the rows that have classes.
Explained conditional(const RouterTable& table, std::span<const ClassedSelection> cells, double explainable)
{
    Explained sum;
    double positions = 0;
    for (std::size_t first = 0, last = 0; first < cells.size(); first = last) {
        std::int64_t selections = 0;
        for (last = first; last < cells.size() && cells[last].row == cells[first].row; ++last)
            selections += cells[last].count;
        const double weight = static_cast<double>(selections) / table.chosen;
        const Information one = information(cells.subspan(first, last - first), table.experts, table.chosen);
        sum.information.bits += weight * one.bits;
        sum.information.shuffledBits += weight * one.shuffledBits;
        positions += weight;
    }
    sum.information.bits /= positions;
    sum.information.shuffledBits /= positions;
    sum.share = sum.information.explained() / explainable;
    sum.coverage = positions / static_cast<double>(table.positions);
    return sum;
}

} // namespace

Decomposition decomposition(const RouterTable& table)
{
    Decomposition result;
    double selections = 0;
    for (const std::int64_t count : table.selections)
        selections += static_cast<double>(count);
    if (selections <= 0) {
        result.whyBlank = "No position was counted.";
        return result;
    }
    for (const std::int64_t count : table.selections)
        result.entropy -= xLogX(static_cast<double>(count) / selections) / std::log(2.0);
    result.explainable = std::max(0.0, result.entropy - std::log2(table.chosen));
    if (result.explainable < 1e-9) {
        result.whyBlank = table.chosen >= table.experts
                              ? "Every expert is chosen at every position: there is no choice to explain."
                              : "The same experts are chosen at every position: there is no choice to explain.";
        return result;
    }
    std::vector<ClassedSelection> tokens;
    tokens.reserve(table.pairs.size());
    for (const TablePair& pair : table.pairs)
        tokens.push_back({0, pair.row, pair.expert, pair.count});
    result.token = Explained{information(tokens, table.experts, table.chosen), 0, 1};
    const double beyondChance = result.explainable - result.token->information.shuffledBits;
    result.token->share = beyondChance > 1e-9 ? result.token->information.explained() / beyondChance
                                              : std::numeric_limits<double>::quiet_NaN();
    if (!table.previous.empty())
        result.previous = conditional(table, table.previous, result.explainable);
    if (!table.places.empty())
        result.place = conditional(table, table.places, result.explainable);
    return result;
}

} // namespace headscope::core
