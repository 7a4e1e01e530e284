// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/site_comparison.h"

#include "core/compare/unit_intervals.h"
#include "core/error.h"
#include "core/stats/percentiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// Rows of all heads of both sides, of one width.
void requireRows(const ComparedSites& sites)
{
    const auto require = [](const std::vector<MatrixRows>& rows, const Router& router, std::string_view side) {
        for (const MatrixRows& of : rows)
            if (of.count() != static_cast<std::size_t>(router.experts))
                throw Error(fmt::format("The weights of {} of {} are not at hand: match by co-selection instead.",
                                        router.address.toString(), side));
    };
    require(sites.rowsA, sites.decisionsA.router(), "A");
    require(sites.rowsB, sites.decisionsB.router(), "B");
    if (sites.rowsA.front().width != sites.rowsB.front().width)
        throw Error(fmt::format(
            "{} of A reads {} numbers and {} of B {}: their weights cannot be compared, match by co-selection instead.",
            sites.a.address.toString(), sites.rowsA.front().width, sites.b.address.toString(), sites.rowsB.front().width));
}

std::vector<UnitDecisions> ofHeads(const SiteDecisions& site, const std::vector<int>& heads, const UnitTokens& tokens)
{
    std::vector<UnitDecisions> result;
    for (const int head : heads)
        result.push_back(unitDecisions(site, head, tokens));
    return result;
}

std::size_t decidedUnits(const std::vector<UnitDecisions>& x, const std::vector<UnitDecisions>& y)
{
    std::size_t units = 0;
    for (std::size_t unit = 0; unit < x.front().units(); ++unit)
        units += x.front().decides(unit) && y.front().decides(unit) ? 1 : 0;
    return units;
}

double meanOfKnown(const std::vector<double>& values)
{
    double sum = 0, count = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++count;
        }
    return count > 0 ? sum / count : blank;
}

} // namespace

SiteComparison::SiteComparison(const ComparedUnits& units, ComparedSites sites, Matching matching, ComparedSide first)
    : m_units(&units), m_sites(std::move(sites)), m_matching(matching),
      m_swapped(m_sites.headsA.size() != m_sites.headsB.size() ? m_sites.headsA.size() > m_sites.headsB.size()
                                                               : first == ComparedSide::B)
{
    const auto& x = m_swapped ? m_sites.decisionsB : m_sites.decisionsA;
    const auto& y = m_swapped ? m_sites.decisionsA : m_sites.decisionsB;
    if (matching == Matching::Weights) {
        requireRows(m_sites);
        m_fixed =
            bestExperts(m_swapped ? rowCosines(m_sites.rowsB, m_sites.rowsA) : rowCosines(m_sites.rowsA, m_sites.rowsB),
                        1.0 / std::min(x.router().experts, y.router().experts));
    } else if (matching == Matching::Identity) {
        m_fixed = sameNumbers((m_swapped ? m_sites.headsB : m_sites.headsA).size(),
                              (m_swapped ? m_sites.headsA : m_sites.headsB).size(), x.router().experts, y.router().experts);
    }
    m_x = decide(m_swapped ? ComparedSide::B : ComparedSide::A);
    m_y = decide(m_swapped ? ComparedSide::A : ComparedSide::B);
}

SiteComparison::SideDecisions SiteComparison::decide(ComparedSide side, std::span<const std::size_t> source) const
{
    const bool ofA = side == ComparedSide::A;
    const SiteDecisions& decisions = ofA ? m_sites.decisionsA : m_sites.decisionsB;
    const std::vector<int>& heads = ofA ? m_sites.headsA : m_sites.headsB;
    const auto& fit = ofA ? m_units->fitA : m_units->fitB;
    const auto tokens = [source](const UnitTokens& own) { return source.empty() ? own : replaced(own, source); };
    SideDecisions result;
    result.judged = ofHeads(decisions, heads, tokens(ofA ? m_units->a : m_units->b));
    if (fit)
        result.fit = ofHeads(decisions, heads, tokens(*fit));
    return result;
}

std::vector<HeadProposals> SiteComparison::propose() const
{
    return proposals(m_x, m_y, Whole::Wanted);
}

std::vector<HeadProposals> SiteComparison::propose(ComparedSide side, const SideDecisions& decisions) const
{
    return isX(side) ? proposals(decisions, m_y, Whole::LeftOut) : proposals(m_x, decisions, Whole::LeftOut);
}

std::vector<HeadProposals> SiteComparison::proposals(const SideDecisions& x, const SideDecisions& y, Whole whole) const
{
    const std::size_t count = m_units->folds + (whole == Whole::Wanted ? 1 : 0);
    if (m_fixed)
        return std::vector<HeadProposals>(count, *m_fixed);
    const double scale = 1.0 / std::min(m_sites.decisionsA.router().chosen, m_sites.decisionsB.router().chosen);
    if (m_units->fitA) {
        const std::vector<std::uint16_t> together(m_units->fitA->units(), 0);
        return std::vector<HeadProposals>(count, bestExperts(coselections(x.fit, y.fit, together, 1).front(), scale));
    }
    const auto ofFold = coselections(x.judged, y.judged, m_units->fold, m_units->folds);
    const SiteScores all = sum(ofFold);
    std::vector<HeadProposals> result;
    if (whole == Whole::Wanted)
        result.push_back(bestExperts(all, scale));
    for (const SiteScores& scores : ofFold)
        result.push_back(bestExperts(difference(all, scores), scale));
    return result;
}

void SiteComparison::match(FittedSite fitted)
{
    m_fitted = std::move(fitted);
    m_null.assign(m_fitted.whole.size(), {});
}

std::vector<Counterpart> SiteComparison::counterparts(const std::vector<SiteMatching>& ofFold, const SideDecisions& y,
                                                      std::size_t head) const
{
    std::vector<Counterpart> result;
    for (const SiteMatching& matching : ofFold)
        result.push_back({&y.judged[matching[head].head], matching[head].experts});
    return result;
}

void SiteComparison::judge(ComparedSide side, const SideDecisions& decisions, const std::vector<SiteMatching>& ofFold)
{
    const SideDecisions& x = isX(side) ? decisions : m_x;
    const SideDecisions& y = isX(side) ? m_y : decisions;
    for (std::size_t head = 0; head < m_null.size(); ++head) {
        const auto against = counterparts(ofFold, y, head);
        m_null[head].push_back(meanAgreement(unitAgreement(x.judged[head], {against, m_units->fold})));
    }
}

void SiteComparison::addNotes(RouterComparison& result, std::size_t head) const
{
    if (result.chosenA == result.expertsA && result.chosenB == result.expertsB)
        result.notes.emplace_back("Both always choose every expert: there is no choice to compare.");
    if (result.intervalDoubtful)
        result.notes.emplace_back("Neighbouring units agree alike over long stretches of the text: the interval may be too "
                                  "short.");
    if (result.tooLittleText)
        result.notes.push_back(fmt::format("There is too little text for {} experts: the matching is not to be trusted.",
                                           std::max(result.expertsA, result.expertsB)));
    const auto other = [&](const SiteMatching& fold) { return fold[head].head != m_fitted.whole[head].head; };
    if (std::any_of(m_fitted.ofFold.begin(), m_fitted.ofFold.end(), other))
        result.notes.emplace_back("The stretches of the text do not agree on which head is the counterpart; what is shown "
                                  "is that of the whole text.");
    if (result.expertsA != result.expertsB)
        result.notes.push_back(fmt::format("{} experts of {} have no counterpart.",
                                           std::abs(result.expertsA - result.expertsB),
                                           result.expertsA > result.expertsB ? "A" : "B"));
}

RouterComparison SiteComparison::router(std::size_t head, WithIntervals intervals, std::uint64_t seed) const
{
    const HeadMatching& whole = m_fitted.whole[head];
    const UnitDecisions& x = m_x.judged[head];
    const auto against = counterparts(m_fitted.ofFold, m_y, head);
    const AgainstFolds y{against, m_units->fold};

    RouterComparison result;
    const std::size_t headA = m_swapped ? whole.head : head;
    const std::size_t headB = m_swapped ? head : whole.head;
    result.a = m_sites.a.router(m_sites.headsA[headA]);
    result.b = m_sites.b.router(m_sites.headsB[headB]);
    const Router& a = m_sites.decisionsA.router();
    const Router& b = m_sites.decisionsB.router();
    result.expertsA = a.experts;
    result.expertsB = b.experts;
    result.chosenA = a.chosen;
    result.chosenB = b.chosen;
    result.matching = m_matching;
    result.expertOfB = m_swapped ? inverted(whole.experts, a.experts) : whole.experts;
    result.stability = m_fixed ? blank : stability(m_fitted, head);

    result.unitAgreement = unitAgreement(x, y);
    result.agreement = meanAgreement(result.unitAgreement);
    result.chance = chanceAgreement(x, y);
    result.bound = reachableAgreement(x, y);
    result.nullMean = meanOfKnown(m_null[head]);
    const auto [low, high] = middleOf(m_null[head], 0.95);
    result.null = {low, high};
    result.nullExceeded = static_cast<int>(
        std::ranges::count_if(m_null[head], [&result](double drawn) { return drawn >= result.agreement; }));
    result.verdict = std::isnan(result.agreement) || std::isnan(result.nullMean)
                         ? NullVerdict::None
                         : nullVerdict(result.nullExceeded, static_cast<int>(m_null[head].size()));
    result.interval = {blank, blank};
    if (intervals == WithIntervals::Yes) {
        const UnitInterval interval = shareInterval(result.unitAgreement);
        result.interval = interval.interval;
        result.stretches = interval.stretches;
        result.intervalDoubtful = interval.doubtful;
    }
    result.loadDivergence = loadDivergence(x, y);
    result.mutualInformation = jointInformation(x, m_y.judged[whole.head], SeededRandom(seed + head));
    const GateCorrelations correlations = gateCorrelations(x, y, {&m_y.judged[whole.head], whole.experts});
    result.gateCorrelations.assign(static_cast<std::size_t>(a.experts), blank);
    for (std::size_t expert = 0; expert < result.gateCorrelations.size(); ++expert) {
        const int opposite = result.expertOfB[expert];
        if (opposite >= 0)
            result.gateCorrelations[expert] = correlations.ofShown[m_swapped ? static_cast<std::size_t>(opposite) : expert];
    }
    result.gateCorrelation = correlations.mean;

    constexpr double enough = 50; // units an expert, if all are used alike
    const auto units =
        static_cast<double>(m_units->fitA ? decidedUnits(m_x.fit, m_y.fit) : decidedUnits(m_x.judged, m_y.judged));
    result.tooLittleText = m_matching == Matching::Coselection &&
                           (units * a.chosen < enough * a.experts || units * b.chosen < enough * b.experts);
    addNotes(result, head);
    return result;
}

std::vector<RouterComparison> SiteComparison::routers(WithIntervals intervals, std::uint64_t seed) const
{
    std::vector<RouterComparison> result;
    for (std::size_t head = 0; head < m_fitted.whole.size(); ++head)
        result.push_back(router(head, intervals, seed));
    std::sort(result.begin(), result.end(),
              [](const RouterComparison& one, const RouterComparison& other) { return one.a < other.a; });
    return result;
}

std::vector<UnpairedRouter> SiteComparison::left() const
{
    const RoutedSite& site = m_swapped ? m_sites.a : m_sites.b;
    const RoutedSite& other = m_swapped ? m_sites.b : m_sites.a;
    const std::vector<int>& heads = m_swapped ? m_sites.headsA : m_sites.headsB;
    std::vector<UnpairedRouter> result;
    for (std::size_t head = 0; head < heads.size(); ++head)
        if (std::none_of(m_fitted.whole.begin(), m_fitted.whole.end(),
                         [head](const HeadMatching& one) { return one.head == head; }))
            result.push_back({site.router(heads[head]), fmt::format("{} of {} has fewer heads, which found others.",
                                                                    other.address.toString(), m_swapped ? "B" : "A")});
    return result;
}

BlockComparison::BlockComparison(std::vector<SiteComparison> sites, Matching matching)
    : m_sites(std::move(sites)), m_matching(matching)
{
    std::vector<std::vector<HeadProposals>> proposals;
    for (const SiteComparison& site : m_sites)
        proposals.push_back(site.propose());
    auto fitted = fitTogether(std::move(proposals));
    for (std::size_t site = 0; site < m_sites.size(); ++site)
        m_sites[site].match(std::move(fitted[site]));
}

void BlockComparison::judgeShuffled(ComparedSide side, std::span<const std::size_t> source)
{
    std::vector<SiteComparison::SideDecisions> decisions;
    std::vector<std::vector<HeadProposals>> proposals;
    for (const SiteComparison& site : m_sites) {
        decisions.push_back(site.shuffled(side, source));
        if (m_matching == Matching::Coselection)
            proposals.push_back(site.propose(side, decisions.back()));
    }
    if (m_matching != Matching::Coselection) {
        for (std::size_t site = 0; site < m_sites.size(); ++site)
            m_sites[site].judge(side, decisions[site], m_sites[site].matched().ofFold);
        return;
    }
    const auto matchings = matchTogether(std::move(proposals));
    for (std::size_t site = 0; site < m_sites.size(); ++site)
        m_sites[site].judge(side, decisions[site], matchings[site]);
}

} // namespace headscope::core
