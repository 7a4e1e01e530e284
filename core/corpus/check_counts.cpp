// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/check_counts.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace headscope::core {

namespace {

using Found = std::optional<std::string>;

bool ascending(const auto& values)
{
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

std::uint64_t sum(const std::vector<std::uint64_t>& values)
{
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

/// Sorted by (first, second), each below its limit, none twice, and no count is 0.
bool sortedTable(const std::vector<std::uint32_t>& first, std::size_t firstLimit, const std::vector<std::uint32_t>& second,
                 std::size_t secondLimit, const std::vector<std::uint64_t>& count)
{
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] >= firstLimit || second[i] >= secondLimit || count[i] == 0)
            return false;
        if (i > 0 && (first[i] < first[i - 1] || (first[i] == first[i - 1] && second[i] <= second[i - 1])))
            return false;
    }
    return true;
}

Found checkBasis(const CountBasis& basis)
{
    const std::set<TokenId> different(basis.frequent.begin(), basis.frequent.end());
    if (different.size() != basis.frequent.size() || (!different.empty() && *different.begin() < 0))
        return "its list of frequent tokens has one twice or a negative one";
    for (const std::string& tag : basis.tags)
        if (!isUtf8(tag))
            return fmt::format("its tags.bytes have a name that is not UTF-8: {}", quotedName(tag));
    if (!isUtf8(basis.documents))
        return "its documents.bytes are not UTF-8";
    if (!ascending(basis.tags) || (!basis.tags.empty() && !basis.tags.front().empty()))
        return "its tags are not sorted or do not begin with the empty one";
    return std::nullopt;
}

Found checkStream(const StreamCounts& stream)
{
    const TokenTable& tokens = stream.tokens;
    if (tokens.pieces.size() != tokens.size() || !ascending(tokens.ids) || (!tokens.ids.empty() && tokens.ids.front() < 0))
        return "its tokens are not sorted or have no pieces";
    if (std::count(tokens.count.begin(), tokens.count.end(), 0U) > 0)
        return "it lists a token that never occurred";
    const bool addUp = sum(tokens.count) == stream.corpus.positions && sum(tokens.groups) == stream.corpus.positions
                       && sum(stream.groupPositions) == stream.corpus.positions && sum(stream.groupDocuments) == stream.corpus.documents
                       && (stream.tagPositions.empty() || sum(stream.tagPositions) == stream.corpus.positions);
    if (!addUp)
        return "its tokens, groups or tags do not add up to its positions";
    if (!ascending(stream.words.words) || sum(stream.words.count) > stream.corpus.positions)
        return "its words are not sorted or more than its positions";
    return std::nullopt;
}

/// The counts of every row are k times those of its margin, those of every expert are n(e).
bool pairsAddUp(const PairCounts& pairs, const std::vector<std::uint64_t>& rows, const RouterCounts& counted)
{
    std::vector<std::uint64_t> rest(rows);
    for (std::uint64_t& value : rest)
        value *= static_cast<std::uint64_t>(counted.router.chosen);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        rest[pairs.row[i]] -= pairs.count[i];
    return std::all_of(rest.begin(), rest.end(), [](std::uint64_t value) { return value == 0; });
}

bool expertsAddUp(const RouterCounts& counted)
{
    std::vector<std::uint64_t> rest(counted.selections);
    for (std::size_t i = 0; i < counted.pairs.size(); ++i)
        rest[counted.pairs.expert[i]] -= counted.pairs.count[i];
    for (std::size_t expert = 0; expert < rest.size(); ++expert)
        if (rest[expert] != 0 || counted.together[expert * (rest.size() + 1)] != counted.selections[expert])
            return false;
    return true;
}

bool classesFit(const ClassCounts& classes, std::size_t kinds, const PairCounts& pairs)
{
    if (!sortedTable(classes.pair, pairs.size(), classes.kind, kinds, classes.count))
        return false;
    std::vector<std::uint64_t> rest(pairs.count);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes.count[i] > rest[classes.pair[i]])
            return false;
        rest[classes.pair[i]] -= classes.count[i];
    }
    return true;
}

Found checkRouter(const RouterCounts& counted, const Counts& counts)
{
    const StreamCounts& stream = counts.streamOf(counted);
    const auto experts = static_cast<std::size_t>(counted.router.experts);
    const std::string name = counted.router.address.toString();
    const PairCounts& pairs = counted.pairs;
    if (!sortedTable(pairs.row, stream.tokens.size(), pairs.expert, experts, pairs.count))
        return fmt::format("the pairs of {} are not sorted or name tokens or experts that do not exist", name);
    if (!pairsAddUp(pairs, stream.tokens.count, counted) || !expertsAddUp(counted))
        return fmt::format("the pairs of {} do not add up to the counts of its tokens and experts", name);
    const std::size_t frequent = counts.basis.frequent.size();
    constexpr std::size_t bins = 64;
    if (!classesFit(counted.previous, frequent + 2, pairs) || !classesFit(counted.positions, bins, pairs)
        || !classesFit(counted.groups, static_cast<std::size_t>(counts.basis.groups), pairs))
        return fmt::format("the counts of {} by previous token, position or group do not fit its pairs", name);
    if (!sortedTable(counted.words.row, stream.words.size(), counted.words.expert, experts, counted.words.count)
        || (counts.basis.words && !pairsAddUp(counted.words, stream.words.count, counted)))
        return fmt::format("the words of {} are not sorted or do not add up", name);
    return std::nullopt;
}

} // namespace

std::optional<std::string> contradictionIn(const Counts& counts)
{
    if (auto wrong = checkBasis(counts.basis))
        return wrong;
    for (const StreamCounts& stream : counts.streams)
        if (auto wrong = checkStream(stream))
            return wrong;
    for (const RouterCounts& router : counts.routers)
        if (auto wrong = checkRouter(router, counts))
            return wrong;
    return std::nullopt;
}

} // namespace headscope::core
