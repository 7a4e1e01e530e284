// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/counts_comparison.h"

#include "core/error.h"
#include "core/stats/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// What is known of every token and expert of one router.
struct RouterPmi {
    struct Pair {
        std::int64_t count = 0;
        double pmi = blank;
    };
    std::map<std::pair<TokenId, int>, Pair> pairs;
    const TokenTable& tokens;

    std::int64_t occurrences(TokenId id) const
    {
        const auto row = tokens.find(id);
        return row ? static_cast<std::int64_t>(tokens.count[*row]) : 0;
    }
    Pair of(TokenId id, int expert) const
    {
        const auto found = pairs.find({id, expert});
        return found == pairs.end() ? Pair{} : found->second;
    }
};

RouterPmi pmiOf(const Counts& counts, const RouterAddress& address, const PairSettings& settings, const Progress& progress)
{
    const RouterCounts* const router = counts.find(address);
    if (router == nullptr)
        throw Error(fmt::format("Nothing was counted of {}.", address.toString()));
    const std::array<std::size_t, 1> chosen{static_cast<std::size_t>(router - counts.routers.data())};
    const RowMap rows = rowMap(counts, router->router.stream, RowUnit::Pieces, LetterCase::Kept);
    const RouterTable table = routerTable(counts, tablePlans(counts, chosen, Pooling::None).front(), rows);
    PairSettings own = settings;
    own.bootstrap.replicates = 0;
    RouterPmi result{{}, counts.streamOf(*router).tokens};
    for (const TablePair& pair : table.pairs) // rare tokens have counts and no PMI
        result.pairs[{*(*table.rows)[pair.row].id, static_cast<int>(pair.expert)}].count = pair.count;
    for (const PairStatistics& pair : pairStatistics(table, own, progress).pairs)
        result.pairs[{*(*table.rows)[pair.row].id, static_cast<int>(pair.expert)}].pmi = pair.pmi;
    return result;
}

/// NaN counts for nothing.
double larger(const TokenDifference& one)
{
    return std::fmax(one.pmiA, one.pmiB);
}

} // namespace

std::vector<TokenDifference> tokenDifferences(const Counts& a, const Counts& b, const CountedRouterComparison& routers,
                                              const PairSettings& settings, const Progress& progress)
{
    const RouterPmi ofA = pmiOf(a, routers.a, settings, progress);
    const RouterPmi ofB = pmiOf(b, routers.b, settings, progress);
    std::vector<TokenDifference> result;
    const auto add = [&](TokenId id, int expertA, int expertB) {
        TokenDifference row{id, {}, expertA, expertB, ofA.occurrences(id), ofB.occurrences(id), 0, 0, 0, 0, 0};
        if (std::max(row.tokenA, row.tokenB) < settings.minimum)
            return;
        const auto pairA = ofA.of(id, expertA);
        const auto pairB = ofB.of(id, expertB);
        const TokenTable& tokens = row.tokenA > 0 ? ofA.tokens : ofB.tokens;
        row.piece = tokens.pieces[*tokens.find(id)];
        row.countA = pairA.count;
        row.countB = pairB.count;
        row.pmiA = pairA.pmi;
        row.pmiB = pairB.pmi;
        row.difference = pairB.pmi - pairA.pmi;
        result.push_back(std::move(row));
    };
    for (std::size_t expert = 0; expert < routers.expertOfB.size(); ++expert) {
        const int expertA = static_cast<int>(expert);
        const int expertB = routers.expertOfB[expert];
        if (expertB < 0)
            continue;
        progress.checkpoint();
        const std::size_t first = result.size();
        for (const auto& [key, pair] : ofA.pairs)
            if (key.second == expertA)
                add(key.first, expertA, expertB);
        for (const auto& [key, pair] : ofB.pairs)
            if (key.second == expertB && !ofA.pairs.contains({key.first, expertA}))
                add(key.first, expertA, expertB);
        std::sort(result.begin() + static_cast<std::ptrdiff_t>(first), result.end(),
                  [](const TokenDifference& one, const TokenDifference& other) {
                      const double x = larger(one);
                      const double y = larger(other);
                      if (std::isnan(x) != std::isnan(y))
                          return std::isnan(y);
                      return std::isnan(x) || x == y ? one.id < other.id : x > y;
                  });
    }
    return result;
}

} // namespace headscope::core
