// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/compare: two models' counts by halves of the documents, and what experts have in common in them.

#include "core/compare/pairing.h"
#include "core/compare/site_matching.h"
#include "core/corpus/counts.h"

#include <algorithm>
#include <array>
#include <vector>

namespace headscope::core::counted {

/// The whole corpus, and its halves: documents whose group is even, odd.
constexpr std::size_t parts = 3;
constexpr std::size_t halves = 2;
using OfParts = std::array<double, parts>;

inline std::size_t index(int value)
{
    return static_cast<std::size_t>(value);
}

/// What one router did, by part.
struct RouterParts {
    const RouterCounts* router = nullptr;
    std::vector<OfParts> pairs; // [pairs of the router], n(t,e)

    double loadOf(std::size_t groups, std::size_t expert, std::size_t part) const
    {
        if (part == 0)
            return static_cast<double>(router->selections[expert]);
        double sum = 0;
        for (std::size_t group = part - 1; group < groups; group += halves)
            sum += static_cast<double>(router->groupSelections[group * index(router->router.experts) + expert]);
        return sum;
    }
};

/// One model's counts of a stream.
struct SideCounts {
    const Counts& counts;
    const StreamCounts& stream;
    OfParts positions{}; // N
    std::size_t groups = 0;
    std::vector<char> judged; // [rows], 0 for tokens that are too rare; empty where all are judged

    double judgedPositions() const
    {
        if (judged.empty())
            return positions[0];
        double sum = 0;
        for (std::size_t row = 0; row < judged.size(); ++row)
            sum += judged[row] != 0 ? static_cast<double>(stream.tokens.count[row]) : 0;
        return sum;
    }

    SideCounts(const Counts& all, const StreamCounts& one) : counts(all), stream(one), groups(index(all.basis.groups))
    {
        positions[0] = static_cast<double>(stream.corpus.positions);
        for (std::size_t group = 0; group < groups && group < stream.groupPositions.size(); ++group)
            positions[1 + group % halves] += static_cast<double>(stream.groupPositions[group]);
    }
    double occurrences(std::size_t row, std::size_t part) const
    {
        if (part == 0)
            return static_cast<double>(stream.tokens.count[row]);
        double sum = 0;
        for (std::size_t group = part - 1; group < groups; group += halves)
            sum += static_cast<double>(stream.tokens.groups[row * groups + group]);
        return sum;
    }
};

/// A token that both know: its rows, n(t) of both and m(t), by part. m = 0 where one of them does not have it in that part.
struct CommonToken {
    std::size_t rowA = 0, rowB = 0;
    OfParts occurrencesA{}, occurrencesB{}, weight{};
};

/// A pair of sites with the scores of all their heads, C(e,f) by part.
struct CountedSites {
    RoutedSite a, b;
    std::vector<RouterParts> routersA, routersB; // of the heads that are compared
    bool swapped = false;                        // X, the side with fewer heads, is B
    std::array<SiteScores, parts> scores;
    std::array<SiteScores, parts> judged; // of the tokens that are judged, where rare ones are not

    const std::vector<RouterParts>& x() const { return swapped ? routersB : routersA; }
    const std::vector<RouterParts>& y() const { return swapped ? routersA : routersB; }
    const Router& routerA() const { return routersA.front().router->router; }
    const Router& routerB() const { return routersB.front().router->router; }
    int fewer() const { return std::min(routerA().chosen, routerB().chosen); }
    std::vector<int> headsOf(const std::vector<RouterParts>& routers) const
    {
        std::vector<int> heads;
        for (const RouterParts& one : routers)
            heads.push_back(one.router->router.address.head.value_or(0));
        return heads;
    }
};

/// n(t,e) of every part.
RouterParts partsOf(const RouterCounts& router);
/// The tokens that both know, ascending.
std::vector<CommonToken> commonTokens(const SideCounts& a, const SideCounts& b);
/// C(e,f) of all heads of a pair of sites over these tokens, by part.
std::array<SiteScores, parts> scoresOf(const CountedSites& sites, const std::vector<CommonToken>& tokens);

} // namespace headscope::core::counted
