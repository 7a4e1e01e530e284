// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>

namespace headscope::core {

/// Random numbers that are the same on every machine: the standard fixes what std::mt19937_64 gives, but not what its
/// distributions make of it, so the reduction to a range is done here.
class SeededRandom
{
public:
    explicit SeededRandom(std::uint64_t seed) : m_engine(seed) {}

    /// Uniform in [0, bound); `bound` is at least 1. Values above the largest multiple of `bound` are drawn again, so there
    /// is no bias.
    std::uint64_t below(std::uint64_t bound)
    {
        constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t surplus = (largest % bound + 1) % bound; // 2^64 mod bound
        std::uint64_t value = m_engine();
        while (value > largest - surplus)
            value = m_engine();
        return value % bound;
    }

    /// Fisher-Yates.
    template <typename Value>
    void shuffle(std::span<Value> values)
    {
        for (std::size_t left = values.size(); left > 1; --left)
            std::swap(values[left - 1], values[static_cast<std::size_t>(below(left))]);
    }

private:
    std::mt19937_64 m_engine;
};

} // namespace headscope::core
