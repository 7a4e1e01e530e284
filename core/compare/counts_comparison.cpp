// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/counts_comparison.h"

#include "core/compare/counted_sides.h"
#include "core/compare/orientation.h"
#include "core/compare/pairing.h"
#include "core/compare/site_matching.h"
#include "core/error.h"
#include "core/stats/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

using namespace counted;

MatrixRows rowsOf(const RouterRows& rows, const RouterCounts& router, std::string_view side)
{
    const MatrixRows result = rows ? rows(router.router.address) : MatrixRows{};
    if (result.count() != index(router.router.experts))
        throw Error(fmt::format("The weights of {} of {} are not at hand: match by co-selection instead.",
                                router.router.address.toString(), side));
    return result;
}

class CountsComparer
{
public:
    CountsComparer(const Counts& a, const Counts& b, const CompareSettings& settings, const CompareExtras& extras,
                   const Progress& progress)
        : m_a(a, a.streams.back()), m_b(b, b.streams.back()), m_extras(extras), m_progress(progress)
    {
        m_result.settings = settings;
    }

    CountsComparison run()
    {
        begin();
        m_first = firstSide(m_a.counts, m_b.counts);
        m_tokens = commonTokens(m_a, m_b);
        if (m_result.settings.minimumTokens > 0)
            leaveOutRare();
        m_matched = m_result.crossFitted ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{0};
        for (auto& block : blocks())
            compareBlock(block);
        sortRouters();
        std::vector<double> agreements;
        for (const CountedRouterComparison& router : m_result.routers)
            if (!std::isnan(router.expectedAgreement) &&
                (router.chosenA < router.expertsA || router.chosenB < router.expertsB))
                agreements.push_back(router.expectedAgreement);
        std::ranges::sort(agreements); // so that the sum does not depend on the order of A
        m_result.expectedAgreement = agreements.empty() ? blank
                                                        : std::accumulate(agreements.begin(), agreements.end(), 0.0) /
                                                              static_cast<double>(agreements.size());
        return std::move(m_result);
    }

private:
    void begin()
    {
        const bool sameModel = m_a.counts.basis.fingerprint == m_b.counts.basis.fingerprint;
        m_result.sameCorpus = m_a.stream.corpus.hash == m_b.stream.corpus.hash;
        if (m_result.settings.matching) {
            m_result.matching = *m_result.settings.matching;
            m_result.whyMatching = fmt::format("The matching by {} was asked for.", toString(m_result.matching));
        } else {
            m_result.matching = sameModel ? Matching::Identity : Matching::Coselection;
            m_result.whyMatching =
                sameModel ? "Experts keep their numbers: both were counted with one checkpoint."
                          : "Experts are matched by the tokens that they are chosen for: counts do not tell whether two "
                            "checkpoints are of one run.";
        }
        if (!m_result.sameCorpus)
            m_result.notes.emplace_back("The two were counted on different corpora: differences may be those of the texts.");
        if (m_a.counts.basis.evaluation != m_b.counts.basis.evaluation && m_a.counts.basis.evaluation.segment > 0 &&
            m_b.counts.basis.evaluation.segment > 0)
            m_result.notes.push_back(fmt::format("The two were not run alike: A with {}, B with {}.",
                                                 toString(m_a.counts.basis.evaluation),
                                                 toString(m_b.counts.basis.evaluation)));
        if (m_result.matching != Matching::Coselection)
            return;
        const auto even = [](const SideCounts& side) { return side.groups >= halves && side.groups % halves == 0; };
        const auto filled = [](const SideCounts& side) { return side.positions[1] > 0 && side.positions[2] > 0; };
        m_result.crossFitted = even(m_a) && even(m_b) && filled(m_a) && filled(m_b);
        if (!m_result.crossFitted)
            m_result.notes.emplace_back(
                "The documents cannot be divided into two halves, so that experts were matched on what they are judged on: "
                "count with an even number of groups, and more than one document.");
    }

    const std::vector<CommonToken>& judgedTokens() const
    {
        return m_result.settings.minimumTokens > 0 ? m_judged : m_tokens;
    }

    /// Tokens that are rare in both are matched on but not judged.
    void leaveOutRare()
    {
        const auto minimum = static_cast<std::uint64_t>(m_result.settings.minimumTokens);
        const auto common = [minimum](const SideCounts& side, std::size_t row) {
            return side.stream.tokens.count[row] >= minimum;
        };
        const auto judge = [&](SideCounts& side, const SideCounts& other) {
            for (std::size_t row = 0; row < side.stream.tokens.size(); ++row) {
                const auto there = other.stream.tokens.find(side.stream.tokens.ids[row]);
                side.judged.push_back(common(side, row) || (there && common(other, *there)) ? 1 : 0);
            }
        };
        judge(m_a, m_b);
        judge(m_b, m_a);
        for (const CommonToken& token : m_tokens)
            if (m_a.judged[token.rowA] != 0)
                m_judged.push_back(token);
        m_result.notes.push_back(
            fmt::format("Agreement, chance and loads are those of tokens that occur {} times or more in A or "
                        "in B; experts were matched on all tokens.",
                        minimum));
    }

    /// In order of A's forward pass.
    void sortRouters()
    {
        const auto placeOf = [this](const CountedRouterComparison& router) {
            return m_a.counts.find(router.a) - m_a.counts.routers.data();
        };
        std::ranges::stable_sort(m_result.routers, {}, placeOf);
    }

    /// Pairs of sites, those of the same two blocks and heads together.
    std::vector<std::vector<CountedSites>> blocks()
    {
        const RoutedModel a = routedModel(m_a.counts);
        const RoutedModel b = routedModel(m_b.counts);
        Pairing pairing = pairRouters(a, b, m_result.settings.pairs);
        if (m_first == ComparedSide::B)
            std::ranges::stable_sort(pairing.pairs, {}, &SitePair::siteB);
        m_result.onlyA = std::move(pairing.onlyA);
        m_result.onlyB = std::move(pairing.onlyB);
        std::vector<std::vector<CountedSites>> result;
        for (const SitePair& pair : pairing.pairs) {
            CountedSites sites;
            sites.a = a.sites[pair.siteA];
            sites.b = b.sites[pair.siteB];
            for (const int head : pair.headsA)
                sites.routersA.push_back(partsOf(*m_a.counts.find(sites.a.router(head))));
            for (const int head : pair.headsB)
                sites.routersB.push_back(partsOf(*m_b.counts.find(sites.b.router(head))));
            sites.swapped = sites.routersA.size() != sites.routersB.size() ? sites.routersA.size() > sites.routersB.size()
                                                                           : m_first == ComparedSide::B;
            const auto key = [](const CountedSites& one) {
                return std::tuple(one.a.address.mapAddress(), one.b.address.mapAddress(), one.headsOf(one.routersA),
                                  one.headsOf(one.routersB));
            };
            const auto known = std::find_if(result.begin(), result.end(),
                                            [&](const auto& block) { return key(block.front()) == key(sites); });
            if (known == result.end())
                result.emplace_back().push_back(std::move(sites));
            else
                known->push_back(std::move(sites));
        }
        return result;
    }

    /// For the whole, and then for every half what the other says.
    std::vector<HeadProposals> propose(const CountedSites& sites) const
    {
        if (m_result.matching == Matching::Identity)
            return std::vector<HeadProposals>(m_matched.size() + 1, sameNumbers(sites.x().size(), sites.y().size(),
                                                                                sites.x().front().router->router.experts,
                                                                                sites.y().front().router->router.experts));
        if (m_result.matching == Matching::Weights)
            return std::vector<HeadProposals>(m_matched.size() + 1, proposeByWeights(sites));
        const double scale = 1.0 / sites.fewer();
        std::vector<HeadProposals> result{bestExperts(sites.scores[0], scale)};
        if (m_result.crossFitted) {
            result.push_back(bestExperts(sites.scores[2], scale));
            result.push_back(bestExperts(sites.scores[1], scale));
        } else {
            result.push_back(result.front());
        }
        return result;
    }

    HeadProposals proposeByWeights(const CountedSites& sites) const
    {
        std::vector<MatrixRows> ofA, ofB;
        for (const RouterParts& one : sites.routersA)
            ofA.push_back(rowsOf(m_extras.rowsA, *one.router, "A"));
        for (const RouterParts& one : sites.routersB)
            ofB.push_back(rowsOf(m_extras.rowsB, *one.router, "B"));
        if (ofA.front().width != ofB.front().width)
            throw Error(fmt::format(
                "{} of A reads {} numbers and {} of B {}: their weights cannot be compared, match by co-selection instead.",
                sites.a.address.toString(), ofA.front().width, sites.b.address.toString(), ofB.front().width));
        return bestExperts(sites.swapped ? rowCosines(ofB, ofA) : rowCosines(ofA, ofB),
                           1.0 / std::min(sites.routerA().experts, sites.routerB().experts));
    }

    void compareBlock(std::vector<CountedSites>& block)
    {
        std::vector<std::vector<HeadProposals>> proposals;
        for (CountedSites& sites : block) {
            m_progress.at(static_cast<double>(m_done++) / static_cast<double>(m_a.counts.routers.size() + 1),
                          "comparing counts");
            sites.scores = scoresOf(sites, m_tokens);
            if (m_result.settings.minimumTokens > 0)
                sites.judged = scoresOf(sites, m_judged);
            proposals.push_back(propose(sites));
        }
        const auto fitted = fitTogether(std::move(proposals));
        for (std::size_t i = 0; i < block.size(); ++i) {
            const auto first = m_result.routers.size();
            for (std::size_t head = 0; head < fitted[i].whole.size(); ++head)
                m_result.routers.push_back(compare(block[i], fitted[i], head));
            std::sort(m_result.routers.begin() + static_cast<std::ptrdiff_t>(first), m_result.routers.end(),
                      [](const auto& one, const auto& other) { return one.a.head < other.a.head; });
            leaveOver(block[i], fitted[i]);
        }
    }

    void leaveOver(const CountedSites& sites, const FittedSite& fitted)
    {
        for (std::size_t head = 0; head < sites.y().size(); ++head)
            if (std::none_of(fitted.whole.begin(), fitted.whole.end(),
                             [head](const HeadMatching& one) { return one.head == head; }))
                (sites.swapped ? m_result.onlyA : m_result.onlyB)
                    .push_back(
                        {sites.y()[head].router->router.address,
                         fmt::format("{} of {} has fewer heads, which found others.",
                                     (sites.swapped ? sites.b : sites.a).address.toString(), sites.swapped ? "B" : "A")});
    }

    CountedRouterComparison compare(const CountedSites& sites, const FittedSite& fitted, std::size_t head) const
    {
        const HeadMatching& whole = fitted.whole[head];
        CountedRouterComparison result;
        const std::size_t headA = sites.swapped ? whole.head : head;
        const std::size_t headB = sites.swapped ? head : whole.head;
        result.a = sites.routersA[headA].router->router.address;
        result.b = sites.routersB[headB].router->router.address;
        result.expertsA = sites.routerA().experts;
        result.expertsB = sites.routerB().experts;
        result.chosenA = sites.routerA().chosen;
        result.chosenB = sites.routerB().chosen;
        result.expertOfB = sites.swapped ? inverted(whole.experts, result.expertsA) : whole.experts;
        result.stability = m_result.crossFitted ? stability(fitted, head) : blank;
        addAgreement(result, sites, fitted, head);
        addLoads(result, sites, fitted, head);
        constexpr double enough = 50; // positions an expert, if all are used alike
        const double positions = std::min(m_a.positions[0], m_b.positions[0]);
        if (m_result.matching == Matching::Coselection &&
            (positions * result.chosenA < enough * result.expertsA || positions * result.chosenB < enough * result.expertsB))
            result.notes.push_back(fmt::format("There is too little text for {} experts: the matching is not to be trusted.",
                                               std::max(result.expertsA, result.expertsB)));
        if (result.chosenA == result.expertsA && result.chosenB == result.expertsB)
            result.notes.emplace_back("Both always choose every expert: there is no choice to compare.");
        return result;
    }

    /// Over the parts that are judged, each with its matching.
    void addAgreement(CountedRouterComparison& result, const CountedSites& sites, const FittedSite& fitted,
                      std::size_t head) const
    {
        double agreement = 0, chance = 0, tokens = 0, positions = 0;
        for (std::size_t fold = 0; fold < m_matched.size(); ++fold) {
            const std::size_t part = m_matched[fold];
            const HeadMatching& matching = fitted.ofFold[fold][head];
            const RouterParts& x = sites.x()[head];
            const RouterParts& y = sites.y()[matching.head];
            const double all = m_a.positions[part] + m_b.positions[part]; // what this part weighs
            const double positionsX = (sites.swapped ? m_b : m_a).judgedPositions();
            const double positionsY = (sites.swapped ? m_a : m_b).judgedPositions();
            double weight = 0;
            for (const CommonToken& token : judgedTokens())
                weight += token.weight[part];
            const SiteScores& judged = m_result.settings.minimumTokens > 0 ? sites.judged[part] : sites.scores[part];
            const auto scores = judged.of(head, matching.head);
            for (std::size_t e = 0; e < matching.experts.size(); ++e) {
                if (matching.experts[e] < 0)
                    continue;
                const std::size_t opposite = index(matching.experts[e]);
                agreement += all * scores[e * judged.expertsY + opposite];
                chance +=
                    all * loadOf(x, e, 0, sites.swapped) / positionsX * loadOf(y, opposite, 0, !sites.swapped) / positionsY;
            }
            tokens += all * weight;
            positions += all;
        }
        // A share: what rounding of the sums puts above 1 is 1.
        result.expectedAgreement = tokens > 0 ? std::min(1.0, agreement / tokens / sites.fewer()) : blank;
        result.chance = positions > 0 ? std::min(1.0, chance / positions / sites.fewer()) : blank;
    }

    /// Halves that match alike are taken together, others each on its own: the mean by positions.
    void addLoads(CountedRouterComparison& result, const CountedSites& sites, const FittedSite& fitted,
                  std::size_t head) const
    {
        std::vector<std::vector<std::size_t>> alike; // of folds
        for (std::size_t fold = 0; fold < m_matched.size(); ++fold) {
            const auto known = std::ranges::find_if(
                alike, [&](const auto& folds) { return fitted.ofFold[folds.front()][head] == fitted.ofFold[fold][head]; });
            (known == alike.end() ? alike.emplace_back() : *known).push_back(fold);
        }
        double sum = 0, positions = 0;
        for (const std::vector<std::size_t>& folds : alike) {
            double weight = 0;
            for (const std::size_t fold : folds)
                weight += m_a.positions[m_matched[fold]] + m_b.positions[m_matched[fold]];
            const double divergence = divergenceOf(sites, fitted.ofFold[folds.front()][head], head, folds);
            sum = positions == 0 ? divergence : (sum * positions + divergence * weight) / (positions + weight);
            positions += weight;
        }
        result.loadDivergence = positions > 0 ? sum : blank;
    }

    double divergenceOf(const CountedSites& sites, const HeadMatching& matching, std::size_t head,
                        const std::vector<std::size_t>& folds) const
    {
        const std::size_t ofX = index(sites.x().front().router->router.experts);
        const int ofY = sites.y().front().router->router.experts;
        const auto backwards = inverted(matching.experts, ofY);
        std::vector<double> loadX(ofX + index(ofY), 0), loadY(ofX + index(ofY), 0);
        for (const std::size_t fold : folds) {
            for (std::size_t e = 0; e < ofX; ++e)
                loadX[e] += loadOf(sites.x()[head], e, m_matched[fold], sites.swapped);
            for (std::size_t f = 0; f < index(ofY); ++f)
                loadY[backwards[f] >= 0 ? index(backwards[f]) : ofX + f] +=
                    loadOf(sites.y()[matching.head], f, m_matched[fold], !sites.swapped);
        }
        return jensenShannon(loadX, loadY);
    }

    /// n(e) of a part, of the tokens that are judged. `ofB`: the router is one of B.
    double loadOf(const RouterParts& router, std::size_t expert, std::size_t part, bool ofB) const
    {
        const SideCounts& side = ofB ? m_b : m_a;
        if (side.judged.empty())
            return router.loadOf(side.groups, expert, part);
        double sum = 0;
        for (std::size_t pair = 0; pair < router.pairs.size(); ++pair)
            if (router.router->pairs.expert[pair] == expert && side.judged[router.router->pairs.row[pair]] != 0)
                sum += router.pairs[pair][part];
        return sum;
    }

    SideCounts m_a, m_b;
    const CompareExtras& m_extras;
    const Progress& m_progress;
    CountsComparison m_result;
    std::vector<CommonToken> m_tokens, m_judged;
    std::vector<std::size_t> m_matched; // the parts that are judged
    ComparedSide m_first = ComparedSide::A;
    std::size_t m_done = 0;
};

} // namespace

CountsComparison compareCounts(const Counts& a, const Counts& b, const CompareSettings& settings,
                               const CompareExtras& extras, const Progress& progress)
{
    if (a.streams.empty() || b.streams.empty())
        throw Error("There are no counts to compare.");
    if (a.streams.size() > 1 || b.streams.size() > 1)
        throw Error("One of the counts has several streams, which this version does not compare.");
    if (a.basis.tokenizerHash != b.basis.tokenizerHash)
        throw Error(fmt::format("The two were counted with different tokenizers ({} and {}): their tokens cannot be "
                                "compared, give a text instead.",
                                a.basis.tokenizer, b.basis.tokenizer));
    return CountsComparer(a, b, settings, extras, progress).run();
}

} // namespace headscope::core
