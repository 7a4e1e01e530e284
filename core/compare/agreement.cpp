// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/agreement.h"

#include "core/compare/site_matching.h"
#include "core/stats/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

int fewer(const UnitDecisions& x, const Counterpart& y)
{
    return std::min(x.chosen, y.decisions->chosen);
}

std::size_t index(int expert)
{
    return static_cast<std::size_t>(expert);
}

/// The expert of x that stands opposite each of y, -1 for none; of every fold.
std::vector<std::vector<int>> inverses(const AgainstFolds& y)
{
    std::vector<std::vector<int>> result;
    for (const Counterpart& counterpart : y.ofFold)
        result.push_back(inverted(counterpart.experts, counterpart.decisions->experts));
    return result;
}

/// Σ over x's entries of this unit of what y has at their counterparts. `shares`: zeros, [experts of y], left as they were.
double common(const UnitDecisions& x, const Counterpart& y, std::size_t unit, std::vector<double>& shares)
{
    const UnitDecisions& other = *y.decisions;
    for (std::size_t i = other.first[unit]; i < other.first[unit + 1]; ++i)
        shares[index(other.expert[i])] = other.share[i];
    double sum = 0;
    for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i) {
        const int opposite = y.experts[index(x.expert[i])];
        if (opposite >= 0)
            sum += std::min(x.share[i], shares[index(opposite)]);
    }
    for (std::size_t i = other.first[unit]; i < other.first[unit + 1]; ++i)
        shares[index(other.expert[i])] = 0;
    return sum;
}

/// i(e) over the units at which both decide, of a fold's router.
std::vector<double> inclusion(const UnitDecisions& one, const UnitDecisions& other)
{
    std::vector<double> sums(index(one.experts), 0);
    double units = 0;
    for (std::size_t unit = 0; unit < one.units(); ++unit) {
        if (!one.decides(unit) || !other.decides(unit))
            continue;
        ++units;
        for (std::size_t i = one.first[unit]; i < one.first[unit + 1]; ++i)
            sums[index(one.expert[i])] += one.share[i];
    }
    for (double& sum : sums)
        sum /= units;
    return sums;
}

double unitsOfFold(const UnitDecisions& x, const AgainstFolds& y, std::size_t fold)
{
    double units = 0;
    for (std::size_t unit = 0; unit < x.units(); ++unit)
        units += y.fold[unit] == fold && y.decides(x, unit) ? 1 : 0;
    return units;
}

/// Which folds go by the same matching: [groups of folds] of [folds], 1 for those of the group.
std::vector<std::vector<char>> alikeFolds(const AgainstFolds& y)
{
    std::vector<std::vector<char>> groups;
    std::vector<char> done(y.ofFold.size(), 0);
    for (std::size_t fold = 0; fold < y.ofFold.size(); ++fold) {
        if (done[fold] != 0)
            continue;
        std::vector<char> alike(y.ofFold.size(), 0);
        for (std::size_t other = fold; other < y.ofFold.size(); ++other)
            if (y.ofFold[other].decisions == y.ofFold[fold].decisions &&
                std::ranges::equal(y.ofFold[other].experts, y.ofFold[fold].experts))
                alike[other] = done[other] = 1;
        groups.push_back(std::move(alike));
    }
    return groups;
}

/// 0 where the expert was not chosen.
double gateOf(const UnitDecisions& decisions, std::size_t unit, int expert)
{
    for (std::size_t i = decisions.first[unit]; i < decisions.first[unit + 1]; ++i)
        if (decisions.expert[i] == expert)
            return decisions.gate[i];
    return 0;
}

} // namespace

std::vector<float> unitAgreement(const UnitDecisions& x, const AgainstFolds& y)
{
    std::vector<float> result(x.units(), std::numeric_limits<float>::quiet_NaN());
    std::vector<double> shares(index(y.ofFold.front().decisions->experts), 0);
    for (std::size_t unit = 0; unit < x.units(); ++unit)
        if (y.decides(x, unit))
            result[unit] = static_cast<float>(common(x, y.of(unit), unit, shares) / fewer(x, y.of(unit)));
    return result;
}

double meanAgreement(std::span<const float> units)
{
    double sum = 0, count = 0;
    for (const float value : units)
        if (!std::isnan(value)) {
            sum += static_cast<double>(value);
            ++count;
        }
    return count > 0 ? sum / count : blank;
}

double chanceAgreement(const UnitDecisions& x, const AgainstFolds& y)
{
    double sum = 0, units = 0;
    for (std::size_t fold = 0; fold < y.ofFold.size(); ++fold) {
        const Counterpart& other = y.ofFold[fold];
        const double ofFold = unitsOfFold(x, y, fold);
        if (ofFold == 0)
            continue;
        const std::vector<double> ofX = inclusion(x, *other.decisions);
        const std::vector<double> ofY = inclusion(*other.decisions, x);
        double chance = 0;
        for (std::size_t e = 0; e < ofX.size(); ++e)
            if (other.experts[e] >= 0)
                chance += ofX[e] * ofY[index(other.experts[e])];
        sum += ofFold * chance / fewer(x, other);
        units += ofFold;
    }
    return units > 0 ? sum / units : blank;
}

double reachableAgreement(const UnitDecisions& x, const AgainstFolds& y)
{
    const auto backwards = inverses(y);
    double sum = 0, units = 0;
    for (std::size_t unit = 0; unit < x.units(); ++unit) {
        if (!y.decides(x, unit))
            continue;
        const Counterpart& other = y.of(unit);
        const UnitDecisions& of = *other.decisions;
        double matchedX = 0, matchedY = 0;
        for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i)
            matchedX += other.experts[index(x.expert[i])] >= 0 ? x.share[i] : 0;
        for (std::size_t i = of.first[unit]; i < of.first[unit + 1]; ++i)
            matchedY += backwards[y.fold[unit]][index(of.expert[i])] >= 0 ? of.share[i] : 0;
        const double k = fewer(x, other);
        sum += std::min({matchedX, matchedY, k}) / k;
        ++units;
    }
    return units > 0 ? sum / units : blank;
}

double loadDivergence(const UnitDecisions& x, const AgainstFolds& y)
{
    double sum = 0, units = 0;
    for (const std::vector<char>& folds : alikeFolds(y)) {
        const Counterpart& other = y.ofFold[index(static_cast<int>(std::ranges::find(folds, 1) - folds.begin()))];
        const UnitDecisions& of = *other.decisions;
        const std::vector<int> backwards = inverted(other.experts, of.experts);
        const std::size_t cells = index(x.experts) + index(of.experts);
        std::vector<double> ofX(cells, 0), ofY(cells, 0);
        double here = 0;
        for (std::size_t unit = 0; unit < x.units(); ++unit) {
            if (folds[y.fold[unit]] == 0 || !y.decides(x, unit))
                continue;
            ++here;
            for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i)
                ofX[index(x.expert[i])] += x.share[i];
            for (std::size_t i = of.first[unit]; i < of.first[unit + 1]; ++i) {
                const int opposite = backwards[index(of.expert[i])];
                ofY[opposite >= 0 ? index(opposite) : index(x.experts) + index(of.expert[i])] += of.share[i];
            }
        }
        if (here == 0)
            continue;
        const double divergence = jensenShannon(ofX, ofY);
        sum = units == 0 ? divergence : (sum * units + divergence * here) / (units + here);
        units += here;
    }
    return units > 0 ? sum : blank;
}

GateCorrelations gateCorrelations(const UnitDecisions& x, const AgainstFolds& y, const Counterpart& shown)
{
    /// Experts that some folds matched, and which folds.
    struct Pair {
        std::size_t expert = 0;
        const UnitDecisions* other = nullptr;
        int opposite = -1;
        std::vector<char> folds;
    };
    std::vector<Pair> pairs;
    for (std::size_t expert = 0; expert < index(x.experts); ++expert)
        for (std::size_t fold = 0; fold < y.ofFold.size(); ++fold) {
            const Counterpart& one = y.ofFold[fold];
            if (one.experts[expert] < 0)
                continue;
            auto pair = std::ranges::find_if(pairs, [&](const Pair& known) {
                return known.expert == expert && known.other == one.decisions && known.opposite == one.experts[expert];
            });
            if (pair == pairs.end())
                pair = pairs.insert(pairs.end(),
                                    {expert, one.decisions, one.experts[expert], std::vector<char>(y.ofFold.size(), 0)});
            pair->folds[fold] = 1;
        }
    GateCorrelations result{0, std::vector<double>(index(x.experts), blank)};
    double weights = 0;
    for (const Pair& pair : pairs) {
        std::vector<double> ofX, ofY;
        for (std::size_t unit = 0; unit < x.units(); ++unit) {
            if (pair.folds[y.fold[unit]] == 0 || !y.decides(x, unit))
                continue;
            ofX.push_back(gateOf(x, unit, static_cast<int>(pair.expert)));
            ofY.push_back(gateOf(*pair.other, unit, pair.opposite));
        }
        const double correlation = rankCorrelation(ofX, ofY);
        if (std::isnan(correlation))
            continue;
        const auto weight = static_cast<double>(ofX.size());
        result.mean += weight * correlation;
        weights += weight;
        if (pair.other == shown.decisions && pair.opposite == shown.experts[pair.expert])
            result.ofShown[pair.expert] = correlation;
    }
    result.mean = weights > 0 ? result.mean / weights : blank;
    return result;
}

double jointInformation(const UnitDecisions& x, const UnitDecisions& y, SeededRandom random)
{
    constexpr int shuffles = 20;
    std::vector<std::size_t> units;
    for (std::size_t unit = 0; unit < x.units(); ++unit)
        if (x.decides(unit) && y.decides(unit))
            units.push_back(unit);
    if (units.empty())
        return blank;
    const auto columns = index(y.experts);
    const auto bits = [&](const std::vector<std::size_t>& order) {
        std::vector<double> table(index(x.experts) * columns, 0);
        for (std::size_t at = 0; at < units.size(); ++at)
            for (std::size_t i = x.first[units[at]]; i < x.first[units[at] + 1]; ++i)
                for (std::size_t j = y.first[order[at]]; j < y.first[order[at] + 1]; ++j)
                    table[index(x.expert[i]) * columns + index(y.expert[j])] += x.share[i] * y.share[j];
        return mutualInformation(table, columns);
    };
    double shuffled = 0;
    std::vector<std::size_t> order = units;
    for (int i = 0; i < shuffles; ++i) {
        random.shuffle(std::span(order));
        shuffled += bits(order) / shuffles;
    }
    return bits(units) - shuffled;
}

} // namespace headscope::core
