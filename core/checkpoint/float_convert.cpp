// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/float_convert.h"

#include <bit>
#include <cstring>

namespace headscope::core {

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian and used as they are");

bool convertsToFloat(DType dtype)
{
    return dtype <= DType::Bool;
}

// Shifts exponent and mantissa into place and scales by 2^112 (the difference of the exponent biases), which is exact for
// normal and subnormal halves alike; infinities and NaNs get their exponent filled up.
float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t special = (bits & 0x7C00U) == 0x7C00U ? magnitude | 0x7F800000U : scaled;
    return std::bit_cast<float>(special | sign);
}

namespace {

template <typename Stored, typename Convert>
void convertEach(std::span<const std::byte> bytes, std::span<float> into, Convert convert)
{
    const std::byte* source = bytes.data();
    for (std::size_t i = 0; i < into.size(); ++i) {
        Stored value;
        std::memcpy(&value, source + i * sizeof(Stored), sizeof(Stored)); // the buffer need not be aligned
        into[i] = convert(value);
    }
}

} // namespace

void convertToFloats(DType dtype, std::span<const std::byte> bytes, std::span<float> into)
{
    const auto cast = [](auto value) { return static_cast<float>(value); };
    switch (dtype) {
    case DType::F64: return convertEach<double>(bytes, into, cast);
    case DType::F32: std::memcpy(into.data(), bytes.data(), into.size_bytes()); return;
    case DType::F16: return convertEach<std::uint16_t>(bytes, into, halfToFloat);
    case DType::BF16:
        return convertEach<std::uint16_t>(
            bytes, into, [](std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); });
    case DType::I64: return convertEach<std::int64_t>(bytes, into, cast);
    case DType::I32: return convertEach<std::int32_t>(bytes, into, cast);
    case DType::I16: return convertEach<std::int16_t>(bytes, into, cast);
    case DType::I8: return convertEach<std::int8_t>(bytes, into, cast);
    case DType::U8: return convertEach<std::uint8_t>(bytes, into, cast);
    case DType::Bool:
        return convertEach<std::uint8_t>(bytes, into, [](std::uint8_t value) { return value != 0 ? 1.0F : 0.0F; });
    default: return; // excluded by convertsToFloat
    }
}

} // namespace headscope::core
