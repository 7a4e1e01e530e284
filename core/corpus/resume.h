// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: a count that was interrupted.

#include "core/corpus/accumulator.h"

#include <filesystem>
#include <optional>

namespace headscope::core {

/// What the metadata of an unfinished count has besides those of counts.
inline constexpr const char* positionKey = "position";

/// Where in the corpus a pass is. Everything before it has been counted.
struct PassPosition {
    std::uint64_t document = 0; // ordinal; those before it are complete
    std::uint64_t windows = 0;  // of it that have been counted
};

/// What an interrupted count has to have in common with the one that goes on with it, besides its settings.
struct CorpusIdentity {
    CorpusHash hash{};       // of the whole corpus
    std::string tagsDigest;  // empty without tags
    CountedParts parts;
};

/// Saves the state of a pass in which nothing is in work. Throws Error.
void savePartial(const std::filesystem::path& path, const Accumulator& accumulator, const CorpusIdentity& identity, const PassPosition& position);

/// Brings the saved state into an accumulator that is empty. Throws Error where it belongs to another count.
PassPosition loadPartial(const std::filesystem::path& path, Accumulator& accumulator, const CorpusIdentity& identity);

} // namespace headscope::core
