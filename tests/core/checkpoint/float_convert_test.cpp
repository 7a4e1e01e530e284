// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/float_convert.h"

#include "tests/core/checkpoint/torch_file_writer.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

namespace headscope::core {
namespace {

using testing::ElementsAre;

/// The definition of a half, computed the slow way.
double halfValue(std::uint16_t bits)
{
    const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    if (exponent == 31)
        return mantissa == 0 ? sign * INFINITY : NAN;
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

TEST(FloatConvert, EveryHalfIsExact)
{
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = halfToFloat(static_cast<std::uint16_t>(bits));
        const double expected = halfValue(static_cast<std::uint16_t>(bits));
        if (std::isnan(expected))
            EXPECT_TRUE(std::isnan(value)) << bits;
        else
            EXPECT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(static_cast<float>(expected)))
                << bits;
    }
}

TEST(FloatConvert, ArraysOfHalvesGiveTheSameAsSingleOnes)
{
    std::vector<std::uint16_t> halves(65536 + 5); // not a multiple of what is converted at once
    for (std::size_t i = 0; i < halves.size(); ++i)
        halves[i] = static_cast<std::uint16_t>(i * 40503);
    std::vector<float> values(halves.size());
    convertToFloats(DType::F16, std::as_bytes(std::span(halves)), values);
    for (std::size_t i = 0; i < halves.size(); ++i) {
        const float expected = halfToFloat(halves[i]);
        EXPECT_TRUE(values[i] == expected || (std::isnan(values[i]) && std::isnan(expected))) << halves[i];
    }
}

std::vector<float> roundTrip(const std::vector<double>& values, DType dtype)
{
    const std::string bytes = test::encodeElements(values, dtype);
    std::vector<float> result(values.size());
    convertToFloats(dtype, std::as_bytes(std::span(bytes)), result);
    return result;
}

TEST(FloatConvert, EveryTypeItKnows)
{
    EXPECT_THAT(roundTrip({1.5, -2.0, 1e300}, DType::F64), ElementsAre(1.5F, -2.0F, INFINITY));
    EXPECT_THAT(roundTrip({1.5, -2.0}, DType::F32), ElementsAre(1.5F, -2.0F));
    EXPECT_THAT(roundTrip({1.5, -65504.0, 6e-8}, DType::F16), ElementsAre(1.5F, -65504.0F, 0x1p-24F));
    EXPECT_THAT(roundTrip({1.5, -3.0, 1e38}, DType::BF16), ElementsAre(1.5F, -3.0F, testing::FloatNear(1e38F, 4e35F)));
    EXPECT_THAT(roundTrip({-1, 9007199254740992.0}, DType::I64), ElementsAre(-1.0F, 9007199254740992.0F));
    EXPECT_THAT(roundTrip({-7, 70000}, DType::I32), ElementsAre(-7.0F, 70000.0F));
    EXPECT_THAT(roundTrip({-7, 300}, DType::I16), ElementsAre(-7.0F, 300.0F));
    EXPECT_THAT(roundTrip({-7, 100}, DType::I8), ElementsAre(-7.0F, 100.0F));
    EXPECT_THAT(roundTrip({0, 255}, DType::U8), ElementsAre(0.0F, 255.0F));
    EXPECT_THAT(roundTrip({0, 1}, DType::Bool), ElementsAre(0.0F, 1.0F));
}

TEST(FloatConvert, KnowsWhatItDoesNotKnow)
{
    for (const DType dtype : {DType::U64, DType::F8E4M3, DType::C64, DType::Other})
        EXPECT_FALSE(convertsToFloat(dtype));
}

TEST(DType, NamesAndSizes)
{
    for (const DType dtype :
         {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16, DType::I8, DType::U8,
          DType::Bool, DType::U64, DType::U32, DType::U16, DType::F8E4M3, DType::F8E5M2, DType::C64, DType::C128}) {
        EXPECT_EQ(dtypeFromSafetensors(dtypeName(dtype)), dtype);
        EXPECT_GT(elementSize(dtype), 0U);
    }
    EXPECT_EQ(dtypeFromSafetensors("f32"), std::nullopt);
    EXPECT_EQ(dtypeFromSafetensors("other"), std::nullopt);
    EXPECT_EQ(elementSize(DType::Other), 0U);
    EXPECT_TRUE(isFloat(DType::BF16));
    EXPECT_FALSE(isFloat(DType::I64));
}

} // namespace
} // namespace headscope::core
