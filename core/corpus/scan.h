// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/corpus/windows.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace headscope::core {

struct DocumentFacts {
    bool isBlank = false; // no token of it is counted
    bool isEqual = false; // to an earlier one that is not blank either, byte for byte
    std::uint64_t invalidBytes = 0; // not UTF-8
};

/// What a first pass over the text finds out.
struct CorpusScan {
    CorpusHash hash{};
    std::uint64_t tokens = 0;
    std::vector<std::uint16_t> groups;         // bootstrap group of each document
    std::vector<std::uint32_t> tokensOf;       // of each document
    std::vector<DocumentFacts> facts;          // of each document
    std::vector<std::uint64_t> fileSizes;      // unpacked bytes
    std::map<TokenId, std::uint64_t> positions; // that will be counted, by token
};

/// Reads a corpus to its end. `report` is told the bytes read so far, now and then. Throws Error, Cancelled.
CorpusScan scanCorpus(WindowReader reader, int groups, std::int64_t skipFirst, const std::function<void(std::uint64_t bytes, std::uint64_t tokens)>& report);

/// The `most` most frequent, descending, ties by id.
std::vector<TokenId> mostFrequent(const std::map<TokenId, std::uint64_t>& positions, std::size_t most);

} // namespace headscope::core
