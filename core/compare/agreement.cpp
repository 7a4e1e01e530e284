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
    const auto backwards = inverses(y);
    const std::size_t cells = index(x.experts) + index(y.ofFold.front().decisions->experts);
    std::vector<double> ofX(cells, 0), ofY(cells, 0);
    for (std::size_t unit = 0; unit < x.units(); ++unit) {
        if (!y.decides(x, unit))
            continue;
        for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i)
            ofX[index(x.expert[i])] += x.share[i];
        const UnitDecisions& of = *y.of(unit).decisions;
        for (std::size_t i = of.first[unit]; i < of.first[unit + 1]; ++i) {
            const int opposite = backwards[y.fold[unit]][index(of.expert[i])];
            ofY[opposite >= 0 ? index(opposite) : index(x.experts) + index(of.expert[i])] += of.share[i];
        }
    }
    return jensenShannon(ofX, ofY);
}

std::vector<double> gateCorrelations(const UnitDecisions& x, const AgainstFolds& y)
{
    struct Gate {
        std::size_t unit;
        double value;
    };
    const auto backwards = inverses(y);
    std::vector<std::vector<Gate>> ofX(index(x.experts)), ofY(index(x.experts));
    std::size_t units = 0; // those that count, numbered anew
    for (std::size_t unit = 0; unit < x.units(); ++unit) {
        if (!y.decides(x, unit))
            continue;
        for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i)
            ofX[index(x.expert[i])].push_back({units, x.gate[i]});
        const UnitDecisions& of = *y.of(unit).decisions;
        for (std::size_t i = of.first[unit]; i < of.first[unit + 1]; ++i)
            if (const int opposite = backwards[y.fold[unit]][index(of.expert[i])]; opposite >= 0)
                ofY[index(opposite)].push_back({units, of.gate[i]});
        ++units;
    }
    const auto matched = [&y](std::size_t expert) {
        return std::any_of(y.ofFold.begin(), y.ofFold.end(),
                           [expert](const Counterpart& one) { return one.experts[expert] >= 0; });
    };
    const auto spread = [units](const std::vector<Gate>& gates) {
        std::vector<double> values(units, 0);
        for (const Gate& gate : gates)
            values[gate.unit] = gate.value;
        return values;
    };
    std::vector<double> result(index(x.experts), blank);
    for (std::size_t e = 0; e < result.size(); ++e)
        if (matched(e))
            result[e] = rankCorrelation(spread(ofX[e]), spread(ofY[e]));
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
