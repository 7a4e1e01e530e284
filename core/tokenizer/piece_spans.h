// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/sentencepiece_normalizer.h"
#include "core/tokenizer/tokens.h"
#include "core/tokenizer/utf8.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope::core {

/// A piece as SentencePiece gave it, and its own idea of where it came from.
struct Piece {
    TokenId id = 0;
    std::string text;
    bool isByte = false; // one byte of a character the vocabulary lacks: "<0xE2>"
    ByteRange reported;  // in the text that SentencePiece read
};

/// One range per piece, in order, in the text that was normalised.
struct PieceSpan {
    ByteRange span;
    bool sharesCharacter = false; // with the piece before

    bool operator==(const PieceSpan&) const = default;
};

/// A piece owns the bytes of every original character that it completes, as in SentencePiece: where several share one, the last has its
/// bytes and the others end at its beginning. What the normaliser dropped is nobody's. nullopt when the pieces do not spell the normal text.
std::optional<std::vector<PieceSpan>> alignPieces(const std::vector<Piece>& pieces, const NormalText& normal);

/// What can be said when alignPieces cannot (a later SentencePiece may normalise in a way that this one does not know): the
/// library's own offsets, kept in order and moved to the borders of characters.
std::vector<PieceSpan> reportedSpans(const std::vector<Piece>& pieces, std::string_view text);

} // namespace headscope::core
