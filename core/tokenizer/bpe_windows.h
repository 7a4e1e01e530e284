// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tokenizer/piece_spans.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::core {

/// Encodes a normal text by BPE a window at a time, so that one word of any length costs bounded time and memory, and gives exactly the
/// pieces of one call.
///
/// The best pair is joined first, the leftmost of equals. So what happens inside of a piece depends on nothing outside, and whether two
/// neighbours would have been joined across their border depends on these two alone: pieces are those of the whole text just where each two
/// neighbours, encoded alone, are these two again. Hence the end of a window, which what follows may change, is given up, and the next window
/// begins at a border; where the two do not stand beside each other, the border before it is tried.
class BpeWindows
{
public:
    /// What the library makes of a normal text, no more and no less. At most `size` bytes are given to it at a time.
    using Encode = std::function<std::vector<Piece>(std::string_view normal)>;

    BpeWindows(Encode encode, TokenId unknown, std::size_t size);

    /// Of the whole text; neighbouring unknown characters are pieces of their own. Asks before every window. Throws Error where no border can be
    /// found.
    std::vector<Piece> pieces(std::string_view normal, const Progress& progress) const;
    /// Whether `left` and `right`, which are no bytes, are pieces of the text that they spell.
    bool standTogether(const Piece& left, const Piece& right) const;
    bool isUnknown(const Piece& piece) const { return piece.id == m_unknown; }
    /// The end of a text, in bytes, that is not given away while more may follow.
    std::size_t unsettled() const { return m_size / 4; }

private:
    std::vector<Piece> window(std::string_view normal) const;
    bool holds(std::string_view normal, std::size_t border, const std::vector<Piece>& left, const std::vector<Piece>& right) const;

    Encode m_encode;
    TokenId m_unknown;
    std::size_t m_size;
};

/// Bytes of the normal text that a piece takes.
std::size_t normalSize(const Piece& piece);

} // namespace headscope::core
