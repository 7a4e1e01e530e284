// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/information.h"

#include "core/stats/pooled_choices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace headscope::core {

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// E[X ln X] of X ~ hypergeometric: `drawn` out of `all`, of which `marked` are marked.
double meanXLogX(double all, double marked, double drawn)
{
    const double mean = drawn * marked / all;
    const double variance = all > 1 ? mean * (1 - marked / all) * (all - drawn) / (all - 1) : 0;
    // A second-order expansion about the mean; the next term is of order variance/mean² below it.
    if (variance > 250'000)
        return xLogX(mean) + variance / (2 * mean);
    return hypergeometricMean(all, marked, drawn, xLogX);
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

/// `shuffledCell(size, expert)`: the mean of X ln X, X the cell of an expert and a class of so many positions.
template <typename ShuffledCell>
Information informationOf(const ClassTable& table, int chosen, const ShuffledCell& shuffledCell)
{
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
        for (std::size_t expert = 0; expert < table.experts.size(); ++expert) {
            if (table.experts[expert] > 0)
                shuffled += static_cast<double>(classes) * shuffledCell(static_cast<double>(size), expert);
        }
    }
    const double scale = 1 / (selections * std::log(2.0));
    return {std::max(0.0, (table.observed + margins) * scale), std::max(0.0, (shuffled + margins) * scale)};
}

} // namespace

Information information(std::span<const ClassedSelection> cells, int experts, int chosen)
{
    const ClassTable table = classTable(cells, experts, chosen);
    return informationOf(table, chosen, [&table](double size, std::size_t expert) {
        return meanXLogX(table.positions, table.experts[expert], size);
    });
}

namespace {

/// `cellOf`: [E], what the cells of an expert are.
template <typename Cell>
Information pooledInformation(std::span<const ClassedSelection> cells, const RouterTable& table,
                              const std::vector<Cell>& cellOf)
{
    const double each = table.pooled->routers; // every position of the text is one of each router
    Information result =
        informationOf(classTable(cells, table.experts, table.chosen), table.chosen,
                      [&](double size, std::size_t expert) { return cellOf[expert].meanXLogX(size / each); });
    constexpr double rounding = 1e-12;
    if (std::abs(result.explained()) < rounding)
        result.shuffledBits = result.bits;
    return result;
}

/// All routers of a position are shuffled together.
Information shuffledTogether(std::span<const ClassedSelection> cells, const RouterTable& table)
{
    const auto size = static_cast<std::size_t>(table.pooled->routers) + 1;
    std::vector<TogetherCell> cellOf;
    for (std::size_t expert = 0; expert < static_cast<std::size_t>(table.experts); ++expert)
        cellOf.emplace_back(std::span(table.pooled->positions).subspan(expert * size, size));
    return pooledInformation(cells, table, cellOf);
}

/// Every router is shuffled on its own within the token of a row.
Information shuffledApart(std::span<const ClassedSelection> cells, const RouterTable& table)
{
    const PooledChoices& pooled = *table.pooled;
    const auto experts = static_cast<std::size_t>(table.experts);
    const auto routers = static_cast<std::size_t>(pooled.routers);
    const auto row = std::ranges::lower_bound(pooled.rows, cells.front().row) - pooled.rows.begin();
    const auto choices =
        std::span(pooled.ofRows).subspan(static_cast<std::size_t>(row) * experts * routers, experts * routers);
    const double selections = std::accumulate(choices.begin(), choices.end(), 0.0);
    std::vector<ApartCell> cellOf;
    for (std::size_t expert = 0; expert < experts; ++expert)
        cellOf.emplace_back(selections / (table.chosen * pooled.routers), choices.subspan(expert * routers, routers));
    return pooledInformation(cells, table, cellOf);
}

} // namespace

namespace {

/// What of H(E) is left when everything is known but the router and the slot, bits. Of one router log2 k; of M routers, c(e)
/// of which chose e, the mean over positions of -Σ_e c(e)/(kM)·log2(c(e)/(kM)): less where they choose the same experts.
double unexplainable(const RouterTable& table)
{
    if (!table.pooled)
        return std::log2(table.chosen);
    const auto routers = static_cast<std::size_t>(table.pooled->routers);
    double sum = 0;
    for (std::size_t cell = 0; cell < table.pooled->positions.size(); ++cell)
        sum += static_cast<double>(table.pooled->positions[cell]) * xLogX(static_cast<double>(cell % (routers + 1)));
    const double selections = static_cast<double>(table.positions) * table.chosen;
    return std::log2(table.chosen * static_cast<double>(routers)) - sum / selections / std::log(2.0);
}

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
        const auto ofRow = cells.subspan(first, last - first);
        const Information one = table.pooled ? shuffledApart(ofRow, table) : information(ofRow, table.experts, table.chosen);
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
    std::vector<ClassedSelection> tokens;
    tokens.reserve(table.pairs.size());
    for (const TablePair& pair : table.pairs)
        tokens.push_back({0, pair.row, pair.expert, pair.count});
    const bool unknown = table.members.size() > 1 && (!table.pooled || table.pooled->positions.empty());
    result.explainable = unknown ? blank : std::max(0.0, result.entropy - unexplainable(table));
    if (result.explainable < 1e-9) {
        result.whyBlank = table.chosen >= table.experts
                              ? "Every expert is chosen at every position: there is no choice to explain."
                              : "The same experts are chosen at every position: there is no choice to explain.";
        return result;
    }
    result.token = Explained{
        table.pooled && !unknown ? shuffledTogether(tokens, table) : information(tokens, table.experts, table.chosen), 0, 1};
    if (unknown)
        result.token->information.shuffledBits = blank;
    const double beyondChance = result.explainable - result.token->information.shuffledBits;
    result.token->share = beyondChance > 1e-9 ? result.token->information.explained() / beyondChance : blank;
    if (unknown)
        result.whyBlank =
            "How often these routers choose the same expert at one position was not counted, so that it is not "
            "known what could be explained: count again, and pool pieces of all routers that belong together.";
    else if (std::isnan(result.token->share))
        result.whyBlank = "Shuffled choices say as much of the token as there is to say: the table is too small.";
    if (!table.previous.empty())
        result.previous = conditional(table, table.previous, result.explainable);
    if (!table.places.empty())
        result.place = conditional(table, table.places, result.explainable);
    if (!result.previous && !result.place)
        result.whyNoContext = table.whyNoClasses.empty()
                                  ? "What stands before and the place were not gathered for this table."
                                  : table.whyNoClasses;
    return result;
}

} // namespace headscope::core
