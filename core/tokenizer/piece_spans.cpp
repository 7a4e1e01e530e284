// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/piece_spans.h"

#include <algorithm>
#include <charconv>

namespace headscope::core {
namespace {

/// The byte that a byte-fallback piece "<0x0A>" stands for.
std::optional<char> fallbackByte(std::string_view piece)
{
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>')
        return std::nullopt;
    unsigned value = 0;
    const char* const end = piece.data() + 5;
    if (std::from_chars(piece.data() + 3, end, value, 16).ptr != end)
        return std::nullopt;
    return static_cast<char>(value);
}

/// How many bytes of the normal text a piece takes; nullopt when it is not what stands there.
std::optional<std::size_t> sizeAt(std::string_view normal, const Piece& piece)
{
    if (piece.isByte && !normal.empty() && normal.front() == fallbackByte(piece.text))
        return 1;
    if (normal.starts_with(piece.text))
        return piece.text.size();
    return std::nullopt;
}

} // namespace

std::optional<std::vector<PieceSpan>> alignPieces(const std::vector<Piece>& pieces, const NormalText& normal)
{
    const auto& units = normal.units;
    std::vector<PieceSpan> result;
    result.reserve(pieces.size());
    std::size_t begin = 0;
    std::size_t first = 0;
    for (const Piece& piece : pieces) {
        const auto size = sizeAt(std::string_view(normal.text).substr(begin), piece);
        if (!size || *size == 0)
            return std::nullopt;
        // Units that ended before this piece, dropped characters among them.
        while (units[first + 1].normal <= begin)
            ++first;
        std::size_t last = first;
        while (units[last + 1].normal < begin + *size)
            ++last;
        // The character that the next piece goes on with is not complete here, and its bytes are not this one's.
        const bool isShared = begin + *size < units[last + 1].normal;
        const std::size_t to = isShared ? units[last].original : units[last + 1].original;
        result.push_back({{units[first].original, to}, units[first].normal < begin});
        begin += *size;
    }
    if (begin != normal.text.size())
        return std::nullopt;
    return result;
}

std::vector<PieceSpan> reportedSpans(const std::vector<Piece>& pieces, std::string_view text)
{
    const auto characterBorder = [&](std::size_t place) {
        while (place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80)
            ++place;
        return std::min(place, text.size());
    };
    std::vector<PieceSpan> result;
    result.reserve(pieces.size());
    std::size_t owned = 0; // bytes below are given away
    for (const Piece& piece : pieces) {
        const std::size_t begin = std::max(owned, characterBorder(piece.reported.begin));
        owned = std::max(begin, characterBorder(piece.reported.end));
        result.push_back({{begin, owned}, false});
    }
    return result;
}

} // namespace headscope::core
