// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/sentencepiece_normalizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core {

/// Where a long text may be cut without changing a single piece.
///
/// BPE joins two symbols only if the joined string is in the vocabulary. Where two neighbouring characters stand side by
/// side in no piece at all, nothing is ever joined across the border between them, and each side comes out as it would
/// alone. White space is such a place in almost every vocabulary, and so is any rare pair of letters. (A unigram model adds
/// up scores along the whole text in floats, and where a vocabulary has "unused" pieces the library remembers merges across
/// the whole text: there nothing can be promised.)
class SafeCuts
{
public:
    /// What becomes of characters that are no piece: neighbours are joined into one token, or each falls back to its bytes.
    enum class UnknownCharacters { Joined, Bytes };

    /// All pieces that a text can become.
    SafeCuts(const std::vector<std::string>& pieces, UnknownCharacters unknown);

    /// A stretch that may be encoded alone. Encoding starts one unit earlier (`context`), so that what the library does to
    /// the beginning of a text happens there; the pieces of that unit (and of a dummy prefix) are thrown away.
    struct Part {
        std::size_t contextUnit = 0; // equals firstUnit in the first part
        std::size_t firstUnit = 0;
        std::size_t lastUnit = 0; // one past the end
    };
    /// Parts of at least `size` original bytes (except the last), which together are all units of `normal`.
    std::vector<Part> parts(const NormalText& normal, std::size_t size) const;

private:
    bool allowed(const NormalText& normal, std::size_t unit) const;

    UnknownCharacters m_unknown;
    std::vector<std::uint64_t> m_pairs;      // sorted; two characters that stand side by side in some piece
    std::vector<char32_t> m_knownCharacters; // sorted; those that are pieces
};

} // namespace headscope::core
