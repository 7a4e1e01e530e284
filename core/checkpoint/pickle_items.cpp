// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_items.h"

#include <algorithm>
#include <bit>

namespace headscope::core {

std::uint32_t PickleItems::place(std::size_t count)
{
    const bool own = count >= kOwnBlock;
    if (!own && m_next + count <= m_end) {
        const std::size_t begin = m_next;
        m_next += count;
        return static_cast<std::uint32_t>(begin);
    }
    const std::size_t begin = m_blocks.size() * kBlock;
    const std::size_t size = own ? count : kBlock;
    m_owned.push_back(std::make_unique_for_overwrite<PickleId[]>(size));
    for (std::size_t offset = 0; offset < size; offset += kBlock)
        m_blocks.push_back(m_owned.back().get() + offset);
    if (!own) {
        m_next = begin + count;
        m_end = begin + kBlock;
    }
    return static_cast<std::uint32_t>(begin);
}

/// Whether the piece can grow where it is; then it has.
bool PickleItems::inPlace(Piece& piece, std::size_t more)
{
    if (piece.roomy && piece.count + more <= std::bit_ceil(piece.count))
        return true;
    const bool last = !piece.roomy && piece.count != 0 && piece.begin + piece.count == m_next && m_next + more <= m_end;
    if (last)
        m_next += more;
    return last;
}

PickleId* PickleItems::grow(Piece& piece, std::size_t more, bool& fits)
{
    const std::size_t before = piece.count;
    fits = before + more <= kMostItems && m_blocks.size() * kBlock < kMostItems;
    if (!fits || more == 0)
        return nullptr;
    if (!inPlace(piece, more)) {
        const bool moves = before != 0;
        const std::uint32_t begin = place(moves ? std::bit_ceil(before + more) : before + more);
        std::copy_n(at(piece.begin), before, at(begin));
        piece.begin = begin;
        piece.roomy = moves;
    }
    piece.count = static_cast<std::uint32_t>(before + more);
    return at(piece.begin) + before;
}

} // namespace headscope::core
