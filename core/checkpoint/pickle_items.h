// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope::core {

enum class PickleId : std::uint32_t {};

/// Where the ids lie that the containers of one pickle hold: those of one container in one piece, the pieces one behind the
/// other. A piece that outgrows its place moves and leaves it behind; since it then gets twice the room, everything together
/// stays within a few times the ids that were ever added. Nothing moves when another container grows.
class PickleItems
{
public:
    static constexpr std::size_t kMostItems = std::size_t{1} << 31;

    struct Piece {
        std::uint32_t begin = 0;
        std::uint32_t count = 0;
        bool roomy = false; // has moved: its place ends at the next power of two
    };

    std::span<const PickleId> operator[](Piece piece) const { return {at(piece.begin), piece.count}; }
    /// Makes room for `more` ids at the end of a piece and returns where they go. False in `fits` when that are too many.
    PickleId* grow(Piece& piece, std::size_t more, bool& fits);

private:
    static constexpr std::size_t kBlock = 4096; // ids
    static constexpr std::size_t kOwnBlock = kBlock / 4; // from here on a piece gets an allocation of its own

    PickleId* at(std::uint32_t index) const
    {
        return m_blocks.empty() ? nullptr : m_blocks[index / kBlock] + index % kBlock;
    }
    std::uint32_t place(std::size_t count);
    bool inPlace(Piece& piece, std::size_t more);

    std::vector<std::unique_ptr<PickleId[]>> m_owned;
    std::vector<PickleId*> m_blocks; // by index / kBlock; a large piece has several that lie in one allocation
    std::size_t m_next = 0;          // the first free place of the block that is being filled
    std::size_t m_end = 0;           // and where that block ends
};

} // namespace headscope::core
