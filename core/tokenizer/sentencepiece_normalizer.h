// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tokenizer/sentencepiece_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headscope::core {

/// "▁", what a space is in a normal text and in the spelling of a piece.
inline constexpr std::string_view escapedSpace = "\xE2\x96\x81";

/// A text as SentencePiece cuts it into pieces, and what became of each stretch of the original.
struct NormalText {
    /// One or more original characters that became zero or more normal ones together. A unit ends where the next one begins;
    /// the last one only marks the ends.
    struct Unit {
        std::uint32_t original = 0;
        std::uint32_t normal = 0;
    };
    std::string text;
    std::vector<Unit> units;
};

/// Does what SentencePiece's normaliser does, and remembers more: the library's offsets do not tell which characters were
/// dropped and whether a border between pieces lies inside an original character.
class SentencePieceNormalizer
{
public:
    explicit SentencePieceNormalizer(SentencePieceFile file);
    // Views into the user-defined symbols would not survive a copy.
    SentencePieceNormalizer(const SentencePieceNormalizer&) = delete;
    SentencePieceNormalizer& operator=(const SentencePieceNormalizer&) = delete;

    const SentencePieceFile& file() const { return m_file; }

    /// `text` is valid UTF-8. Throws Error when more than 1 GB would come out.
    NormalText normalize(std::string_view text, const Progress& progress = {}) const;

private:
    struct Step {
        std::size_t size = 0;         // bytes of the original
        std::string_view replacement; // with plain spaces
    };
    Step step(std::string_view rest) const;
    std::size_t symbolSize(std::string_view rest) const;
    void appendEscaped(std::string& text, std::string_view replacement) const;
    void finish(NormalText& result, bool addSuffix) const;

    SentencePieceFile m_file;
    std::unordered_set<std::string_view> m_symbols; // user-defined, they stay as they are
    std::vector<std::size_t> m_symbolSizes;         // distinct, descending
    std::vector<bool> m_symbolStarts;               // by first byte
    std::string_view m_space;                       // "▁", or " " where spaces are not escaped
};

} // namespace headscope::core
