// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace headscope::core {

/// A little-endian number at `offset` of `bytes`; the caller has checked that it lies inside.
template <typename Number>
Number littleEndian(std::span<const std::byte> bytes, std::size_t offset)
{
    Number value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof(Number)); // little-endian hosts only (float_convert.cpp asserts it)
    return value;
}

} // namespace headscope::core
