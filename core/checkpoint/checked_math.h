// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace headscope::core {

/// Arithmetic on numbers that come from a file: nullopt instead of a wrapped result.
inline std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

inline std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

/// Number of elements of a shape whose sizes are known to be non-negative; nullopt when it does not fit in 63 bits.
inline std::optional<std::uint64_t> checkedElementCount(std::span<const std::int64_t> shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size == 0)
            return 0;
    }
    for (const std::int64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count))
            return std::nullopt;
    }
    return static_cast<std::uint64_t>(count);
}

} // namespace headscope::core
