// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/scan.h"

#include "core/error.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace headscope::core {

CorpusScan scanCorpus(WindowReader reader, int groups, std::int64_t skipFirst, const std::function<void(std::uint64_t, std::uint64_t)>& report)
{
    CorpusScan scan;
    std::unordered_map<TokenId, std::uint64_t> positions;
    std::uint64_t bytes = 0;
    while (reader.nextDocument()) {
        while (const auto window = reader.next()) {
            for (std::size_t place = static_cast<std::size_t>(skipFirst); place < window->ids.size(); ++place)
                if (window->counts[place])
                    ++positions[window->ids[place]];
            report(bytes + reader.bytes(), scan.tokens + reader.tokens());
        }
        bytes += reader.bytes();
        scan.tokens += reader.tokens();
        if (reader.tokens() > std::numeric_limits<std::uint32_t>::max())
            throw Error("A document has more than 4294967295 tokens; cut the corpus into documents with --documents.");
        const CorpusHash hash = reader.hash();
        scan.hash = scan.hash + hash;
        scan.groups.push_back(static_cast<std::uint16_t>(hash[0] % static_cast<std::uint64_t>(groups)));
        scan.tokensOf.push_back(static_cast<std::uint32_t>(reader.tokens()));
    }
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
