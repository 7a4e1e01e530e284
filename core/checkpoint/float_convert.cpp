// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/float_convert.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headscope::core {

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian and used as they are");

bool convertsToFloat(DType dtype)
{
    return dtype <= DType::Bool;
}

// Exponent and mantissa move into place and the exponent's bias goes from 15 to 127. A subnormal half becomes a normal
// float: its mantissa is put behind a leading one, which is then subtracted (multiplying subnormal floats is slow on many
// machines).
float halfToFloat(std::uint16_t bits)
{
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7FFFU) << 13;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits & 0x7C00U;
    const std::uint32_t normal = magnitude + (112U << 23);
    const auto subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + (113U << 23)) - 0x1p-14F);
    const std::uint32_t special = magnitude | 0x7F800000U; // infinity, NaN
    return std::bit_cast<float>((exponent == 0 ? subnormal : exponent == 0x7C00U ? special : normal) | sign);
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

#if defined(__x86_64__)
/// Eight at a time with the instruction made for it; the machine was asked before.
__attribute__((target("avx,f16c"))) void convertHalvesF16c(std::span<const std::byte> bytes, std::span<float> into)
{
    std::size_t i = 0;
    for (; i + 8 <= into.size(); i += 8) {
        const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + 2 * i));
        _mm256_storeu_ps(into.data() + i, _mm256_cvtph_ps(halves));
    }
    convertEach<std::uint16_t>(bytes.subspan(2 * i), into.subspan(i), halfToFloat);
}
#endif

void convertHalves(std::span<const std::byte> bytes, std::span<float> into)
{
#if defined(__x86_64__)
    static const bool hasInstruction = __builtin_cpu_supports("avx") != 0 && __builtin_cpu_supports("f16c") != 0;
    if (hasInstruction)
        return convertHalvesF16c(bytes, into);
#endif
    convertEach<std::uint16_t>(bytes, into, halfToFloat);
}

} // namespace

void convertToFloats(DType dtype, std::span<const std::byte> bytes, std::span<float> into)
{
    const auto cast = [](auto value) { return static_cast<float>(value); };
    switch (dtype) {
    case DType::F64: return convertEach<double>(bytes, into, cast);
    case DType::F32: std::memcpy(into.data(), bytes.data(), into.size_bytes()); return;
    case DType::F16: return convertHalves(bytes, into);
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
