// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/check_counts.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <tuple>

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

using Row = std::optional<std::size_t>;

/// The first row that is not sorted by (first, second), not below its limit, there twice, or whose count is 0.
Row unsortedRow(const std::vector<std::uint32_t>& first, std::size_t firstLimit, const std::vector<std::uint32_t>& second,
                 std::size_t secondLimit, const std::vector<std::uint64_t>& count)
{
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] >= firstLimit || second[i] >= secondLimit || count[i] == 0)
            return i;
        if (i > 0 && (first[i] < first[i - 1] || (first[i] == first[i - 1] && second[i] <= second[i - 1])))
            return i;
    }
    return std::nullopt;
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

/// The first row whose counts are not k times those of its margin.
Row rowThatDoesNotAddUp(const PairCounts& pairs, const std::vector<std::uint64_t>& rows, const RouterCounts& counted)
{
    std::vector<std::uint64_t> rest(rows);
    for (std::uint64_t& value : rest)
        value *= static_cast<std::uint64_t>(counted.router.chosen);
    for (std::size_t i = 0; i < pairs.size(); ++i)
        rest[pairs.row[i]] -= pairs.count[i];
    const auto off = std::find_if(rest.begin(), rest.end(), [](std::uint64_t value) { return value != 0; });
    return off == rest.end() ? Row() : static_cast<std::size_t>(off - rest.begin());
}

/// The first expert whose counts are not n(e).
Row expertThatDoesNotAddUp(const RouterCounts& counted)
{
    std::vector<std::uint64_t> rest(counted.selections);
    for (std::size_t i = 0; i < counted.pairs.size(); ++i)
        rest[counted.pairs.expert[i]] -= counted.pairs.count[i];
    for (std::size_t expert = 0; expert < rest.size(); ++expert)
        if (rest[expert] != 0 || counted.together[expert * (rest.size() + 1)] != counted.selections[expert])
            return expert;
    return std::nullopt;
}

/// The first row of classes that is not in order or more than its pair has.
Row classThatDoesNotFit(const ClassCounts& classes, std::size_t kinds, const PairCounts& pairs)
{
    if (const Row row = unsortedRow(classes.pair, pairs.size(), classes.kind, kinds, classes.count))
        return row;
    std::vector<std::uint64_t> rest(pairs.count);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes.count[i] > rest[classes.pair[i]])
            return i;
        rest[classes.pair[i]] -= classes.count[i];
    }
    return std::nullopt;
}

Found checkRouter(const RouterCounts& counted, const Counts& counts)
{
    const StreamCounts& stream = counts.streamOf(counted);
    const auto experts = static_cast<std::size_t>(counted.router.experts);
    const std::string name = counted.router.address.toString();
    const PairCounts& pairs = counted.pairs;
    if (const Row row = unsortedRow(pairs.row, stream.tokens.size(), pairs.expert, experts, pairs.count))
        return fmt::format("{0}.pairs, which are those of {0}, are not sorted or name tokens or experts that do not exist at row {1}",
                           name, *row);
    if (const Row row = rowThatDoesNotAddUp(pairs, stream.tokens.count, counted))
        return fmt::format("{}.pairs.count do not add up to the counts of its tokens at row {} of these", name, *row);
    if (const Row expert = expertThatDoesNotAddUp(counted))
        return fmt::format("{0}.selections, {0}.together and {0}.pairs.count do not add up for expert {1}", name, *expert);
    const std::size_t frequent = counts.basis.frequent.size();
    constexpr std::size_t bins = 64; // of positions
    const auto groups = static_cast<std::size_t>(counts.basis.groups);
    for (const auto& [kind, classes, kinds] : {std::tuple("previous", &counted.previous, frequent + 2),
                                               {"positions", &counted.positions, bins},
                                               {"groups", &counted.groups, groups}})
        if (const Row row = classThatDoesNotFit(*classes, kinds, pairs))
            return fmt::format("{}.{} does not fit its pairs at row {}", name, kind, *row);
    const PairCounts& words = counted.words;
    Row row = unsortedRow(words.row, stream.words.size(), words.expert, experts, words.count);
    if (!row && counts.basis.words)
        row = rowThatDoesNotAddUp(words, stream.words.count, counted);
    if (row)
        return fmt::format("{}.words are not sorted or do not add up at row {}", name, *row);
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
