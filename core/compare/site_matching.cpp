// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/site_matching.h"

#include "core/compare/matching.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace headscope::core {
namespace {

void addCoselections(const UnitDecisions& x, const UnitDecisions& y, std::size_t unit, std::span<double> sums)
{
    const auto columns = static_cast<std::size_t>(y.experts);
    for (std::size_t i = x.first[unit]; i < x.first[unit + 1]; ++i) {
        const auto row = sums.subspan(static_cast<std::size_t>(x.expert[i]) * columns, columns);
        for (std::size_t j = y.first[unit]; j < y.first[unit + 1]; ++j)
            row[static_cast<std::size_t>(y.expert[j])] += x.share[i] * y.share[j];
    }
}

double squaredLength(std::span<const float> row)
{
    return std::inner_product(row.begin(), row.end(), row.begin(), 0.0, std::plus<>(),
                              [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
}

double cosine(std::span<const float> a, std::span<const float> b)
{
    const double product = std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(), [](float x, float y) {
        return static_cast<double>(x) * static_cast<double>(y);
    });
    const double lengths = std::sqrt(squaredLength(a) * squaredLength(b));
    return lengths > 0 ? product / lengths : 0;
}

/// Adds next to nothing where row and column have the same number, which decides between equals.
void preferSameNumbers(std::span<double> values, std::size_t columns)
{
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    const double little = largest > 0 ? largest * 1e-9 : 1;
    for (std::size_t i = 0; i < columns && i * columns + i < values.size(); ++i)
        values[i * columns + i] += little;
}

std::vector<int> assignment(std::span<const double> values, std::size_t columns)
{
    std::vector<double> biased(values.begin(), values.end());
    preferSameNumbers(biased, columns);
    return bestAssignment(biased, static_cast<int>(values.size() / columns), static_cast<int>(columns));
}

double total(std::span<const double> values, std::size_t columns, const std::vector<int>& columnOf)
{
    double result = 0;
    for (std::size_t row = 0; row < columnOf.size(); ++row)
        if (columnOf[row] >= 0)
            result += values[row * columns + static_cast<std::size_t>(columnOf[row])];
    return result;
}

} // namespace

std::vector<SiteScores> coselections(std::span<const UnitDecisions> x, std::span<const UnitDecisions> y,
                                     std::span<const std::uint16_t> fold, std::size_t folds)
{
    const SiteScores zero(x.size(), y.size(), static_cast<std::size_t>(x.front().experts),
                          static_cast<std::size_t>(y.front().experts));
    std::vector<SiteScores> scores(folds, zero);
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j)
            for (std::size_t unit = 0; unit < fold.size(); ++unit)
                addCoselections(x[i], y[j], unit, scores[fold[unit]].of(i, j));
    return scores;
}

SiteScores sum(std::span<const SiteScores> scores)
{
    SiteScores result = scores.front();
    for (const SiteScores& more : scores.subspan(1))
        std::transform(result.values.begin(), result.values.end(), more.values.begin(), result.values.begin(),
                       std::plus<>());
    return result;
}

SiteScores difference(const SiteScores& from, const SiteScores& what)
{
    SiteScores result = from;
    std::transform(result.values.begin(), result.values.end(), what.values.begin(), result.values.begin(), std::minus<>());
    return result;
}

SiteScores rowCosines(std::span<const MatrixRows> x, std::span<const MatrixRows> y)
{
    SiteScores scores(x.size(), y.size(), x.front().count(), y.front().count());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < y.size(); ++j)
            for (std::size_t e = 0; e < scores.expertsX; ++e)
                for (std::size_t f = 0; f < scores.expertsY; ++f)
                    scores.of(i, j)[e * scores.expertsY + f] = cosine(x[i].row(e), y[j].row(f));
    return scores;
}

HeadProposals bestExperts(const SiteScores& scores, double scale)
{
    HeadProposals result{scores.headsX, scores.headsY, {}, {}};
    for (std::size_t i = 0; i < scores.headsX; ++i)
        for (std::size_t j = 0; j < scores.headsY; ++j) {
            result.experts.push_back(assignment(scores.of(i, j), scores.expertsY));
            result.values.push_back(scale * total(scores.of(i, j), scores.expertsY, result.experts.back()));
        }
    return result;
}

HeadProposals sameNumbers(std::size_t headsX, std::size_t headsY, int expertsX, int expertsY)
{
    std::vector<int> experts(static_cast<std::size_t>(expertsX), -1);
    std::iota(experts.begin(), experts.begin() + std::min(expertsX, expertsY), 0);
    HeadProposals result{headsX, headsY, {headsX * headsY, experts}, std::vector<double>(headsX * headsY, 0)};
    for (std::size_t i = 0; i < headsX; ++i)
        result.values[i * headsY + i] = 1;
    return result;
}

std::vector<SiteMatching> agreeOnHeads(std::vector<HeadProposals> ofSites)
{
    const std::size_t headsX = ofSites.front().headsX;
    const std::size_t headsY = ofSites.front().headsY;
    std::vector<double> values(headsX * headsY, 0);
    for (const HeadProposals& site : ofSites)
        std::transform(values.begin(), values.end(), site.values.begin(), values.begin(), std::plus<>());
    const std::vector<int> headOf = assignment(values, headsY);
    std::vector<SiteMatching> result;
    for (HeadProposals& site : ofSites) {
        SiteMatching matching;
        for (std::size_t i = 0; i < headsX; ++i) {
            const auto j = static_cast<std::size_t>(headOf[i]);
            matching.push_back({j, std::move(site.experts[i * headsY + j])});
        }
        result.push_back(std::move(matching));
    }
    return result;
}

std::vector<std::vector<SiteMatching>> matchTogether(std::vector<std::vector<HeadProposals>> ofSites)
{
    std::vector<std::vector<SiteMatching>> result(ofSites.size());
    for (std::size_t fold = 0; fold < ofSites.front().size(); ++fold) {
        std::vector<HeadProposals> proposals;
        for (auto& ofSite : ofSites)
            proposals.push_back(std::move(ofSite[fold]));
        auto matchings = agreeOnHeads(std::move(proposals));
        for (std::size_t site = 0; site < matchings.size(); ++site)
            result[site].push_back(std::move(matchings[site]));
    }
    return result;
}

std::vector<FittedSite> fitTogether(std::vector<std::vector<HeadProposals>> ofSites)
{
    std::vector<FittedSite> result;
    for (auto& matchings : matchTogether(std::move(ofSites))) {
        FittedSite& site = result.emplace_back();
        site.whole = std::move(matchings.front());
        site.ofFold.assign(std::make_move_iterator(matchings.begin() + 1), std::make_move_iterator(matchings.end()));
    }
    return result;
}

double stability(const FittedSite& fitted, std::size_t head)
{
    if (fitted.ofFold.size() < 2)
        return std::numeric_limits<double>::quiet_NaN();
    const HeadMatching& first = fitted.ofFold.front()[head];
    double same = 0;
    for (std::size_t expert = 0; expert < first.experts.size(); ++expert)
        same += std::all_of(fitted.ofFold.begin(), fitted.ofFold.end(), [&](const SiteMatching& fold) {
            return fold[head].head == first.head && fold[head].experts[expert] == first.experts[expert];
        });
    return same / static_cast<double>(first.experts.size());
}

std::vector<int> inverted(std::span<const int> experts, int expertsY)
{
    std::vector<int> result(static_cast<std::size_t>(expertsY), -1);
    for (std::size_t e = 0; e < experts.size(); ++e)
        if (experts[e] >= 0)
            result[static_cast<std::size_t>(experts[e])] = static_cast<int>(e);
    return result;
}

} // namespace headscope::core
