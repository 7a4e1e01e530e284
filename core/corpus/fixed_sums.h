// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

/// Sums of non-negative reals in steps of 2⁻³², exact in 128 bits, so that the order of adding does not matter. The upper halves exist only
/// where a sum needed one (from 2³² on): then `high` is as long as `low`.
class FixedSums
{
public:
    FixedSums() = default;
    explicit FixedSums(std::size_t size) : m_low(size) {}
    FixedSums(std::vector<std::uint64_t> low, std::vector<std::uint64_t> high) : m_low(std::move(low)), m_high(std::move(high)) {}

    /// The nearest step, halves up. `value` is finite, not negative and below 2³¹.
    static std::uint64_t steps(double value) { return static_cast<std::uint64_t>(value * 0x1p32 + 0.5); }

    std::size_t size() const { return m_low.size(); }
    void resize(std::size_t size)
    {
        m_low.resize(size);
        if (!m_high.empty())
            m_high.resize(size);
    }
    void add(std::size_t at, std::uint64_t steps)
    {
        if (__builtin_add_overflow(m_low[at], steps, &m_low[at]))
            carry(at, 1);
    }
    /// Adds one sum of another.
    void add(std::size_t at, const FixedSums& other, std::size_t from)
    {
        add(at, other.m_low[from]);
        if (!other.m_high.empty() && other.m_high[from] != 0)
            carry(at, other.m_high[from]);
    }
    double value(std::size_t at) const
    {
        const double low = std::ldexp(static_cast<double>(m_low[at]), -32);
        return m_high.empty() ? low : std::ldexp(static_cast<double>(m_high[at]), 32) + low;
    }
    std::uint64_t low(std::size_t at) const { return m_low[at]; }
    std::uint64_t high(std::size_t at) const { return m_high.empty() ? 0 : m_high[at]; }
    std::span<const std::uint64_t> low() const { return m_low; }
    std::span<const std::uint64_t> high() const { return m_high; }

    bool operator==(const FixedSums&) const = default;

private:
    void carry(std::size_t at, std::uint64_t amount)
    {
        m_high.resize(m_low.size());
        m_high[at] += amount;
    }

    std::vector<std::uint64_t> m_low;
    std::vector<std::uint64_t> m_high;
};

} // namespace headscope::core
