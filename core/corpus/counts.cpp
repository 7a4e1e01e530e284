// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace headscope::core {

namespace {

constexpr int marginShift = 20; // of the 32 bits of a float: sign, exponent and three binary places stay

} // namespace

std::size_t marginBin(float margin)
{
    return margin > 0 ? std::bit_cast<std::uint32_t>(margin) >> marginShift : 0;
}

float marginEdge(std::size_t bin)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << marginShift);
}

std::optional<float> marginPercentile(std::span<const std::uint64_t> margins, double share)
{
    std::uint64_t all = 0;
    for (const std::uint64_t count : margins)
        all += count;
    if (all == 0)
        return std::nullopt;
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(all - 1) * share);
    std::uint64_t before = 0;
    std::size_t bin = 0;
    while (before + margins[bin] <= wanted)
        before += margins[bin++];
    return marginEdge(bin);
}

CorpusHash operator+(const CorpusHash& a, const CorpusHash& b)
{
    CorpusHash sum{};
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        std::uint64_t part = 0;
        const bool first = __builtin_add_overflow(a[i], b[i], &part);
        const bool second = __builtin_add_overflow(part, carry, &sum[i]);
        carry = first || second ? 1 : 0;
    }
    return sum;
}

std::string toString(const CorpusHash& hash)
{
    return fmt::format("{:016x}{:016x}{:016x}{:016x}", hash[3], hash[2], hash[1], hash[0]);
}

std::optional<CorpusHash> corpusHashFromString(std::string_view text)
{
    CorpusHash hash{};
    constexpr std::size_t digits = 16;
    if (text.size() != digits * hash.size())
        return std::nullopt;
    for (std::size_t place = 0; place < text.size(); ++place) {
        const char digit = text[place];
        const bool decimal = digit >= '0' && digit <= '9';
        if (!decimal && (digit < 'a' || digit > 'f'))
            return std::nullopt;
        std::uint64_t& word = hash[hash.size() - 1 - place / digits];
        word = word << 4 | static_cast<std::uint64_t>(decimal ? digit - '0' : digit - 'a' + 10);
    }
    return hash;
}

std::optional<std::size_t> TokenTable::find(TokenId id) const
{
    const auto found = std::lower_bound(ids.begin(), ids.end(), id);
    if (found == ids.end() || *found != id)
        return std::nullopt;
    return static_cast<std::size_t>(found - ids.begin());
}

PairCounts::Range PairCounts::ofRow(std::size_t wanted) const
{
    const auto [first, last] = std::equal_range(row.begin(), row.end(), static_cast<std::uint32_t>(wanted));
    return {static_cast<std::size_t>(first - row.begin()), static_cast<std::size_t>(last - row.begin())};
}

std::optional<std::size_t> PairCounts::find(std::size_t wantedRow, std::size_t wantedExpert) const
{
    const Range range = ofRow(wantedRow);
    const auto begin = expert.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto end = expert.begin() + static_cast<std::ptrdiff_t>(range.last);
    const auto found = std::lower_bound(begin, end, static_cast<std::uint32_t>(wantedExpert));
    if (found == end || *found != wantedExpert)
        return std::nullopt;
    return static_cast<std::size_t>(found - expert.begin());
}

const RouterCounts* Counts::find(const RouterAddress& address) const
{
    const auto found = std::find_if(routers.begin(), routers.end(), [&](const RouterCounts& counted) { return counted.router.address == address; });
    return found == routers.end() ? nullptr : &*found;
}

std::vector<std::string> notesOn(const CorpusSize& corpus)
{
    std::vector<std::string> notes;
    const auto isAre = [](std::uint64_t count) { return count == 1 ? "is" : "are"; };
    if (corpus.blankDocuments > 0)
        notes.push_back(fmt::format("{} of the {} documents hold no token that is counted, and count as none.", corpus.blankDocuments,
                                    corpus.blankDocuments + corpus.documents));
    if (corpus.equalDocuments > 0)
        notes.push_back(fmt::format("{} of the {} documents {} byte for byte equal to an earlier one. They are counted, but null and intervals take "
                                    "documents for independent of each other.",
                                    corpus.equalDocuments, corpus.documents, isAre(corpus.equalDocuments)));
    if (corpus.invalidBytes > 0)
        notes.push_back(fmt::format("{} of the {} bytes of text {} not UTF-8; the tokenizer read U+FFFD in their place.", corpus.invalidBytes, corpus.bytes,
                                    isAre(corpus.invalidBytes)));
    return notes;
}

} // namespace headscope::core
