// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/counted_sides.h"

namespace headscope::core::counted {

RouterParts partsOf(const RouterCounts& router)
{
    RouterParts result{&router, std::vector<OfParts>(router.pairs.size(), OfParts{})};
    for (std::size_t pair = 0; pair < router.pairs.size(); ++pair)
        result.pairs[pair][0] = static_cast<double>(router.pairs.count[pair]);
    for (std::size_t i = 0; i < router.groups.size(); ++i)
        result.pairs[router.groups.pair[i]][1 + router.groups.kind[i] % halves] +=
            static_cast<double>(router.groups.count[i]);
    return result;
}

std::vector<CommonToken> commonTokens(const SideCounts& a, const SideCounts& b)
{
    std::vector<CommonToken> result;
    const TokenTable& tokensA = a.stream.tokens;
    const TokenTable& tokensB = b.stream.tokens;
    for (std::size_t i = 0, j = 0; i < tokensA.size() && j < tokensB.size();) {
        if (tokensA.ids[i] != tokensB.ids[j]) {
            ++(tokensA.ids[i] < tokensB.ids[j] ? i : j);
            continue;
        }
        CommonToken token{i, j, {}, {}, {}};
        for (std::size_t part = 0; part < parts; ++part) {
            token.occurrencesA[part] = a.occurrences(i, part);
            token.occurrencesB[part] = b.occurrences(j, part);
            if (token.occurrencesA[part] > 0 && token.occurrencesB[part] > 0)
                token.weight[part] =
                    (token.occurrencesA[part] / a.positions[part] + token.occurrencesB[part] / b.positions[part]) / 2;
        }
        result.push_back(token);
        ++i;
        ++j;
    }
    return result;
}

namespace {

/// One head of X and one of Y.
void addScores(const RouterParts& x, const RouterParts& y, const std::vector<CommonToken>& tokens, bool swapped,
               std::size_t part, std::span<double> scores)
{
    const std::size_t columns = index(y.router->router.experts);
    for (const CommonToken& token : tokens) {
        if (token.weight[part] == 0)
            continue;
        const double scale = token.weight[part] / (token.occurrencesA[part] * token.occurrencesB[part]);
        const auto pairsX = x.router->pairs.ofRow(swapped ? token.rowB : token.rowA);
        const auto pairsY = y.router->pairs.ofRow(swapped ? token.rowA : token.rowB);
        for (std::size_t i = pairsX.first; i < pairsX.last; ++i)
            for (std::size_t j = pairsY.first; j < pairsY.last; ++j)
                scores[x.router->pairs.expert[i] * columns + y.router->pairs.expert[j]] +=
                    scale * x.pairs[i][part] * y.pairs[j][part];
    }
}

} // namespace

std::array<SiteScores, parts> scoresOf(const CountedSites& sites, const std::vector<CommonToken>& tokens)
{
    std::array<SiteScores, parts> result;
    for (std::size_t part = 0; part < parts; ++part) {
        result[part] = SiteScores(sites.x().size(), sites.y().size(), index(sites.x().front().router->router.experts),
                                  index(sites.y().front().router->router.experts));
        for (std::size_t i = 0; i < sites.x().size(); ++i)
            for (std::size_t j = 0; j < sites.y().size(); ++j)
                addScores(sites.x()[i], sites.y()[j], tokens, sites.swapped, part, result[part].of(i, j));
    }
    return result;
}

} // namespace headscope::core::counted
