// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/scan.h"

#include "core/error.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

namespace headscope::core {

namespace {

using HalfDigest = std::array<std::uint64_t, 2>; // 128 bits of SHA-256

/// Of documents that are equal all but the first are marked. Sixteen bytes a document, and as many again for a moment.
void findEqual(const std::vector<HalfDigest>& digests, std::vector<DocumentFacts>& facts)
{
    std::vector<std::size_t> order;
    for (std::size_t document = 0; document < facts.size(); ++document)
        if (!facts[document].isBlank)
            order.push_back(document);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(digests[a], a) < std::pair(digests[b], b); });
    for (std::size_t i = 1; i < order.size(); ++i)
        facts[order[i]].isEqual = digests[order[i]] == digests[order[i - 1]];
}

} // namespace

CorpusScan scanCorpus(WindowReader reader, int groups, std::int64_t skipFirst, const std::function<void(std::uint64_t, std::uint64_t)>& report)
{
    CorpusScan scan;
    std::unordered_map<TokenId, std::uint64_t> positions;
    std::uint64_t bytes = 0;
    std::vector<HalfDigest> digests;
    while (reader.nextDocument()) {
        bool isBlank = true;
        while (const auto window = reader.next()) {
            for (std::size_t place = static_cast<std::size_t>(skipFirst); place < window->ids.size(); ++place)
                if (window->counts[place]) {
                    ++positions[window->ids[place]];
                    isBlank = false;
                }
            report(bytes + reader.bytes(), scan.tokens + reader.tokens());
        }
        bytes += reader.bytes();
        scan.tokens += reader.tokens();
        if (reader.tokens() > std::numeric_limits<std::uint32_t>::max())
            throw Error("A document has more than 4294967295 tokens; cut the corpus into documents with --documents.");
        const CorpusHash hash = reader.hash();
        scan.hash = scan.hash + hash;
        scan.facts.push_back({.isBlank = isBlank, .isEqual = false, .invalidBytes = reader.invalidBytes()});
        digests.push_back({hash[1], hash[2]});
        scan.groups.push_back(static_cast<std::uint16_t>(hash[0] % static_cast<std::uint64_t>(groups)));
        scan.tokensOf.push_back(static_cast<std::uint32_t>(reader.tokens()));
    }
    findEqual(digests, scan.facts);
    scan.fileSizes = reader.fileSizes();
    scan.positions.insert(positions.begin(), positions.end());
    return scan;
}

std::vector<TokenId> mostFrequent(const std::map<TokenId, std::uint64_t>& positions, std::size_t most)
{
    std::vector<std::pair<TokenId, std::uint64_t>> sorted(positions.begin(), positions.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<TokenId> ids;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
        ids.push_back(sorted[i].first);
    return ids;
}

} // namespace headscope::core
