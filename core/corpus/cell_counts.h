// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope::core {

/// Counts of the cells of a large table most of which stays 0. Small tables are kept whole, large ones as a flat hash of the cells that
/// occurred. A count stays below 2³².
class CellCounts
{
public:
    CellCounts() = default;
    CellCounts(std::uint64_t cells, std::uint64_t mostKeptWhole)
    {
        if (cells <= mostKeptWhole)
            m_whole.resize(cells);
        else
            m_slots.resize(firstSlots);
    }

    void add(std::uint64_t cell, std::uint32_t count = 1)
    {
        if (!m_whole.empty()) {
            m_whole[cell] += count;
            return;
        }
        Slot& slot = find(m_slots, cell);
        if (slot.count == 0) {
            slot.cell = cell;
            ++m_used;
        }
        slot.count += count;
        if (m_used * 3 > m_slots.size() * 2)
            grow();
    }

    /// The cells that are not 0, ascending.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted() const
    {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> result;
        result.reserve(m_used);
        for (std::uint64_t cell = 0; cell < m_whole.size(); ++cell)
            if (m_whole[cell] != 0)
                result.emplace_back(cell, m_whole[cell]);
        for (const Slot& slot : m_slots)
            if (slot.count != 0)
                result.emplace_back(slot.cell, slot.count);
        if (!m_slots.empty())
            std::sort(result.begin(), result.end());
        return result;
    }

private:
    struct Slot {
        std::uint64_t cell = 0;
        std::uint32_t count = 0; // 0: free
    };
    static constexpr std::size_t firstSlots = 1024; // a power of two

    /// The slot of a cell, or the free one where it belongs. Neighbouring cells are met together, so they lie together (linear probing).
    static Slot& find(std::vector<Slot>& slots, std::uint64_t cell)
    {
        const std::size_t mask = slots.size() - 1;
        std::size_t at = (cell * 0x9E3779B97F4A7C15U) >> 20 & mask; // Fibonacci hashing
        while (slots[at].count != 0 && slots[at].cell != cell)
            at = (at + 1) & mask;
        return slots[at];
    }
    void grow()
    {
        std::vector<Slot> larger(2 * m_slots.size());
        for (const Slot& slot : m_slots)
            if (slot.count != 0)
                find(larger, slot.cell) = slot;
        m_slots = std::move(larger);
    }

    std::vector<std::uint32_t> m_whole;
    std::vector<Slot> m_slots;
    std::size_t m_used = 0;
};

} // namespace headscope::core
