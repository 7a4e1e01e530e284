// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_writer.h"

#include "core/checkpoint/safetensors_reader.h"
#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

using test::errorOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SafetensorsWriter, ReadsBackWhatItWrote)
{
    const test::TemporaryFolder folder;
    const std::vector<float> weights = {1.5F, -2.0F, 0.0F, 3.25F, 1e-8F, 7.0F};
    const std::vector<std::int64_t> ids = {5, -1};
    const std::vector<std::uint16_t> halves = {0x3C00, 0x8000, 0x7C00};
    const std::map<std::string, std::string> metadata = {{"text", "a \"quoted\"\nline ✓"}, {"family", "moe_attention"}};
    const std::vector<SafetensorsTensor> tensors = {
        {{"z.weights", DType::F32, {2, 3}}, std::as_bytes(std::span(weights))},
        {{"a.ids", DType::I64, {2}}, std::as_bytes(std::span(ids))},
        {{"half", DType::F16, {3, 1}}, std::as_bytes(std::span(halves))},
        {{"none", DType::F32, {0, 7}}, {}},
    };
    writeSafetensors(folder / "t.safetensors", tensors, metadata);

    const SafetensorsContent content = readSafetensors(FileBytes::open(folder / "t.safetensors"));
    EXPECT_EQ(content.metadata, metadata);
    ASSERT_EQ(content.tensors.size(), 4U);
    EXPECT_EQ(content.tensors[0].name, "a.ids");
    EXPECT_THAT(content.tensors[0].readFloats(), ElementsAre(5.0F, -1.0F));
    EXPECT_THAT(content.tensors[1].readFloats(), ElementsAre(1.0F, -0.0F, INFINITY));
    EXPECT_EQ(content.tensors[2].shape, (std::vector<std::int64_t>{0, 7}));
    EXPECT_EQ(content.tensors[3].readFloats(), weights);
}

TEST(SafetensorsWriter, KeepsTheOrderOfTheKeysAndAlignsTheData)
{
    const test::TemporaryFolder folder;
    const std::vector<std::byte> byte(1);
    for (const std::string name : {"b", "bb", "bbb", "bbbbbbbb"}) {
        writeSafetensors(folder / "t.safetensors",
                         std::vector<SafetensorsTensor>{{{name, DType::U8, {1}}, byte}, {{"a", DType::U8, {}}, byte}});
        const std::string bytes = test::readFile(folder / "t.safetensors");
        const std::size_t dataBegin = bytes.size() - 2;
        EXPECT_EQ(dataBegin % 8, 0U);
        EXPECT_LT(bytes.find("\"" + name + "\""), bytes.find("\"a\""));
    }
}

TEST(SafetensorsWriter, LeavesNothingBehindWhenItIsNotFinished)
{
    const test::TemporaryFolder folder;
    const std::vector<float> values(4);
    {
        SafetensorsWriter writer(folder / "t.safetensors", {{"a", DType::F32, {4}}});
        writer.write(std::span<const float>(values).first(3));
        EXPECT_THAT(errorOf([&] { writer.finish(); }), HasSubstr("12 bytes instead of the 16"));
        EXPECT_THAT(errorOf([&] { writer.write(std::span<const float>(values)); }), HasSubstr("more bytes than the 16"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriter, RefusesWhatTheFormatCannotHold)
{
    const test::TemporaryFolder folder;
    const auto error = [&](std::vector<SafetensorsEntry> entries) {
        return errorOf([&] { SafetensorsWriter writer(folder / "t.safetensors", std::move(entries)); });
    };
    EXPECT_THAT(error({{"a", DType::F32, {1}}, {"a", DType::F32, {1}}}), HasSubstr("two tensors are named \"a\""));
    EXPECT_THAT(error({{"__metadata__", DType::F32, {1}}}), HasSubstr("__metadata__"));
    EXPECT_THAT(error({{"a", DType::Other, {1}}}), HasSubstr("no valid type and shape"));
    EXPECT_THAT(error({{"a", DType::F32, {-1}}}), HasSubstr("no valid type and shape"));
    EXPECT_THAT(error({{"a", DType::F32, {1LL << 40, 1LL << 40}}}), HasSubstr("no valid type and shape"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriter, ReplacesBrokenTextInTheMetadata)
{
    const test::TemporaryFolder folder;
    SafetensorsWriter writer(folder / "t.safetensors", {},
                             {{"text", "a\xFF"
                                       "b"}});
    writer.finish();
    const SafetensorsContent content = readSafetensors(FileBytes::open(folder / "t.safetensors"));
    EXPECT_EQ(content.metadata.at("text"), "a\xEF\xBF\xBD"
                                           "b");
}

} // namespace
} // namespace headscope::core
