// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_reader.h"

#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

#include <limits>

namespace headscope::core {
namespace {

using test::errorOf;
using test::safetensorsBytes;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

class SafetensorsReader : public testing::Test
{
protected:
    SafetensorsContent read(std::string_view bytes) const
    {
        test::writeFile(m_folder / "m.safetensors", bytes);
        return readSafetensors(FileBytes::open(m_folder / "m.safetensors"));
    }
    std::string error(std::string_view bytes) const
    {
        return errorOf([&] { read(bytes); });
    }
    std::string error(std::string_view json, std::string_view data) const { return error(safetensorsBytes(json, data)); }

    test::TemporaryFolder m_folder;
};

/// {"name":{…}}
std::string tensor(std::string_view dtype, std::string_view shape, std::string_view offsets)
{
    return "{\"t\":{\"dtype\":\""s + std::string(dtype) + "\",\"shape\":" + std::string(shape) +
           ",\"data_offsets\":" + std::string(offsets) + "}}";
}

/// The length as a file would claim it, then something.
std::string withLength(std::uint64_t length, std::string_view rest)
{
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + std::string(rest);
}

TEST_F(SafetensorsReader, ReadsTensorsAndMetadata)
{
    const SafetensorsContent content = read(safetensorsBytes(
        R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"I16","shape":[],"data_offsets":[2,4]}}   )",
        "\x01\x02\xff\xff"));
    EXPECT_EQ(content.metadata.at("format"), "pt");
    ASSERT_EQ(content.tensors.size(), 2U);
    EXPECT_EQ(content.tensors[0].describe(), "[] I16");
    EXPECT_THAT(content.tensors[0].readFloats(), ElementsAre(-1.0F));
    EXPECT_THAT(content.tensors[1].readFloats(), ElementsAre(1.0F, 2.0F));
}

TEST_F(SafetensorsReader, Class1DuplicateKeys)
{
    const std::string twice =
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
    EXPECT_THAT(error(twice, "01234567"), AllOf(HasSubstr("m.safetensors"), HasSubstr("\"a\""), HasSubstr("duplicate")));
    const std::string inside = R"({"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}})";
    EXPECT_THAT(error(inside, "0123"), HasSubstr("duplicate"));
}

TEST_F(SafetensorsReader, Class2HeaderLengths)
{
    const std::string rest = tensor("F32", "[1]", "[0,4]") + "0123";
    for (const std::uint64_t length :
         {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63, std::uint64_t{100'000'001},
          std::uint64_t{rest.size() + 1}, std::uint64_t{rest.size() + 8}})
        EXPECT_THAT(error(withLength(length, rest)),
                    AllOf(HasSubstr("m.safetensors"), HasSubstr(std::to_string(length)), HasSubstr("download it again")));
    for (const std::uint64_t length : {0, 1})
        EXPECT_THAT(error(withLength(length, rest)), HasSubstr("too few"));
    for (std::size_t size = 0; size <= 8; ++size)
        EXPECT_THAT(error(std::string(size, '\x02')), HasSubstr("m.safetensors")) << size;
}

TEST_F(SafetensorsReader, Class4OneByteShort)
{
    const std::string json = tensor("F32", "[2]", "[0,8]");
    EXPECT_EQ(error(json, "01234567"), "");
    EXPECT_THAT(error(json, "0123456"),
                AllOf(HasSubstr("m.safetensors"), HasSubstr("cut off"), HasSubstr("download it again")));
}

TEST_F(SafetensorsReader, Class5TrailingBytesAndHoles)
{
    EXPECT_THAT(error(tensor("F32", "[1]", "[0,4]"), "01234"), HasSubstr("1 bytes at its end that belong to no tensor"));
    EXPECT_THAT(error(tensor("F32", "[1]", "[4,8]"), "01234567"),
                HasSubstr("4 bytes before tensor \"t\" that belong to no tensor"));
    const std::string gap =
        R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[6,8]}})";
    EXPECT_THAT(error(gap, "01234567"), HasSubstr("4 bytes before tensor \"b\" that belong to no tensor"));
    EXPECT_THAT(error("{}", "x"), HasSubstr("belong to no tensor"));
}

TEST_F(SafetensorsReader, Class6OverlapsAndOverflow)
{
    const std::string same =
        R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
    EXPECT_THAT(error(same, "0123"), AllOf(HasSubstr("overlap"), HasSubstr("\"a\""), HasSubstr("\"b\"")));
    EXPECT_THAT(error(tensor("F32", "[1]", "[4,0]"), "0123"), HasSubstr("before it begins"));
    EXPECT_THAT(error(tensor("F32", "[8589934592,8589934592]", "[0,4]"), "0123"), HasSubstr("overflow"));
    EXPECT_THAT(error(tensor("F64", "[2305843009213693952]", "[0,4]"), "0123"), HasSubstr("overflow"));
    EXPECT_THAT(error(tensor("F32", "[18446744073709551615]", "[0,4]"), "0123"), HasSubstr("non-negative integer"));
    EXPECT_THAT(error(tensor("F32", "[2]", "[0,4]"), "0123"), AllOf(HasSubstr("needs 8 bytes"), HasSubstr("has 4")));
    for (const char* shape : {"[-1]", "[1.5]", "[1e0]", "[\"1\"]", "[true]", "[null]", "[18446744073709551616]"})
        EXPECT_THAT(error(tensor("F32", shape, "[0,4]"), "0123"), HasSubstr("not a non-negative integer")) << shape;
    for (const char* offsets : {"[-4,0]", "[0.0,4.0]", "[0,4e0]", "[0,\"4\"]"})
        EXPECT_THAT(error(tensor("F32", "[1]", offsets), "0123"), HasSubstr("not two non-negative integers")) << offsets;
    for (const char* offsets : {"[0]", "[0,4,8]", "4", "{}"})
        EXPECT_THAT(error(tensor("F32", "[1]", offsets), "0123"), HasSubstr("data_offsets")) << offsets;
    EXPECT_THAT(error(tensor("F32", "[1]", "[18446744073709551612,18446744073709551615]"), "0123"), HasSubstr("\"t\""));
}

TEST_F(SafetensorsReader, Class7ZeroSizeAndScalars)
{
    const std::string json =
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"end":{"dtype":"F32","shape":[0],"data_offsets":[8,8]},)"
        R"("inside":{"dtype":"I64","shape":[3,0,4611686018427387904],"data_offsets":[4,4]},"scalar":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";
    const SafetensorsContent content = read(safetensorsBytes(json, "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40"s));
    ASSERT_EQ(content.tensors.size(), 4U);
    EXPECT_THAT(content.tensors[0].readFloats(), ElementsAre(1.0F, 2.0F));
    EXPECT_THAT(content.tensors[1].readFloats(), ElementsAre());
    EXPECT_THAT(content.tensors[2].readFloats(), ElementsAre());
    EXPECT_THAT(content.tensors[3].readFloats(), ElementsAre(3.0F));
    EXPECT_EQ(content.tensors[3].elementCount(), 1);
}

TEST_F(SafetensorsReader, Class8ExoticTypesDoNotStopTheRest)
{
    const std::string json =
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"e4":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[4,6]},)"
        R"("e5":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[6,7]},"c":{"dtype":"C64","shape":[1],"data_offsets":[7,15]},)"
        R"("f4":{"dtype":"F4","shape":[3],"data_offsets":[15,17]},"i4":{"dtype":"I4","shape":[1],"data_offsets":[17,18]},)"
        R"("low":{"dtype":"f32","shape":[1],"data_offsets":[18,22]}})";
    const SafetensorsContent content = read(safetensorsBytes(json, "\0\0\x80\x3f"s + std::string(18, 'x')));
    ASSERT_EQ(content.tensors.size(), 7U);
    EXPECT_THAT(content.tensors[0].readFloats(), ElementsAre(1.0F));
    for (std::size_t i = 1; i < content.tensors.size(); ++i) {
        const TensorView& exotic = content.tensors[i];
        EXPECT_THAT(
            errorOf([&] { exotic.readFloats(); }),
            AllOf(HasSubstr("m.safetensors"), HasSubstr("\"" + exotic.name + "\""), HasSubstr("cannot be computed with")));
    }
    EXPECT_EQ(content.tensors[4].name, "f4");
    EXPECT_EQ(content.tensors[4].describe(), "[3] F4");
    EXPECT_EQ(content.tensors[4].read().size(), 2U);
    EXPECT_THAT(error(tensor("F8_E4M3", "[2]", "[0,1]"), "0"), HasSubstr("needs 2 bytes"));
}

TEST_F(SafetensorsReader, HeadersThatAreNone)
{
    for (const char* json : {"[]", "\"x\"", "{]", "{\"t\":", "{\"t\":1}", "{\"t\":{}}", "{}x", "{\"t\":{\"dtype\":3}}",
                             "{\"\xff\":{}}", "{\"__metadata__\":{\"a\":1}}", "{\"__metadata__\":[]}", "{\"t\":NaN}"})
        EXPECT_THAT(error(json, ""), AllOf(HasSubstr("m.safetensors"), HasSubstr("download"))) << json;
    EXPECT_THAT(error("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", ""), HasSubstr("nested"));
    EXPECT_EQ(error("{}", ""), "");
}

TEST_F(SafetensorsReader, HostileNamesAreShownHarmlessly)
{
    const std::string escape =
        R"({"\u001b[2J\u0000)" + std::string(5000, 'x') + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})";
    const std::string message = error(escape, "01234567");
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
    EXPECT_THAT(message, HasSubstr("\\x1b[2J\\x00xxx"));
    EXPECT_LT(message.size(), 500U);
}

TEST_F(SafetensorsReader, TruncatedAnywhereIsAnError)
{
    const std::string whole = safetensorsBytes(
        R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},"b":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}})",
        std::string(24, 'd'));
    EXPECT_EQ(error(whole), "");
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THAT(error(std::string_view(whole).substr(0, size)), HasSubstr("m.safetensors")) << size;
}

} // namespace
} // namespace headscope::core
