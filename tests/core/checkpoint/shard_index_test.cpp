// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/shard_index.h"

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

using test::errorOf;
using test::safetensorsBytes;
using test::writeFile;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::string_literals;

/// A safetensors file of one float under each name.
std::string shardOf(const std::vector<std::string>& names)
{
    std::string json = "{";
    std::string data;
    for (const std::string& name : names) {
        json += (data.empty() ? "\"" : ",\"") + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" +
                std::to_string(data.size()) + "," + std::to_string(data.size() + 4) + "]}";
        data += "\0\0\x80\x3f"s;
    }
    return safetensorsBytes(json + "}", data);
}

constexpr const char* kFirst = "model-00001-of-00002.safetensors";
constexpr const char* kSecond = "model-00002-of-00002.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

class Class10Shards : public testing::Test
{
protected:
    Class10Shards()
    {
        writeFile(m_folder / kFirst, shardOf({"module.a", "module.b"}));
        writeFile(m_folder / kSecond, shardOf({"module.c"}));
        writeIndex({{"module.a", kFirst}, {"module.b", kFirst}, {"module.c", kSecond}});
    }
    void writeIndex(const std::map<std::string, std::string>& weights) const
    {
        writeFile(m_folder / kIndex, nlohmann::json{{"metadata", {{"total_size", 12}}}, {"weight_map", weights}}.dump());
    }
    std::string error() const
    {
        return errorOf([&] { openCheckpoint(m_folder.path()); });
    }

    test::TemporaryFolder m_folder;
};

TEST_F(Class10Shards, OpenAsOneCheckpoint)
{
    writeFile(m_folder / "config.json", R"({"model_type": "jetmoe"})");
    for (const std::filesystem::path& path : {m_folder.path(), m_folder / kIndex}) {
        const Checkpoint checkpoint = openCheckpoint(path);
        ASSERT_EQ(checkpoint.tensors.size(), 3U);
        EXPECT_EQ(checkpoint.tensors[2].name, "c") << "the prefix all names share is left out";
        EXPECT_EQ(checkpoint.files.size(), 2U);
        EXPECT_EQ(checkpoint.modelBytes(), 12U);
        EXPECT_EQ(checkpoint.hyperParametersFrom, "config.json");
        EXPECT_EQ(checkpoint.find("c")->readFloats().at(0), 1.0F);
    }
}

TEST_F(Class10Shards, PyTorchShards)
{
    std::filesystem::remove(m_folder / kIndex);
    std::filesystem::remove(m_folder / kFirst);
    std::filesystem::remove(m_folder / kSecond);
    for (const char* number : {"1", "2"}) {
        test::TorchCheckpoint shard{.tensors = {{"t"s + number, {1}, {1}}}};
        shard.layout = test::TorchLayout::StateDict;
        test::writeTorchCheckpoint(m_folder / ("pytorch_model-0000"s + number + "-of-00002.bin"), shard);
    }
    writeFile(m_folder / "pytorch_model.bin.index.json",
              R"({"weight_map":{"t1":"pytorch_model-00001-of-00002.bin","t2":"pytorch_model-00002-of-00002.bin"}})");
    EXPECT_EQ(openCheckpoint(m_folder.path()).tensors.size(), 2U);
}

TEST_F(Class10Shards, AMissingShardIsNamed)
{
    std::filesystem::remove(m_folder / kSecond);
    EXPECT_THAT(error(), AllOf(HasSubstr(kIndex), HasSubstr(kSecond), HasSubstr("missing"), HasSubstr("download")));
}

TEST_F(Class10Shards, ShardsWithoutIndex)
{
    std::filesystem::remove(m_folder / kIndex);
    EXPECT_THAT(error(), AllOf(HasSubstr("without their index"), HasSubstr(kIndex)));
    EXPECT_THAT(errorOf([&] { openCheckpoint(m_folder / kFirst); }), AllOf(HasSubstr(kFirst), HasSubstr("part 1 of 2")));
}

TEST_F(Class10Shards, AStrayWholeModelBesideThem)
{
    writeFile(m_folder / "model.safetensors", shardOf({"a"}));
    EXPECT_THAT(error(), AllOf(HasSubstr("index"), HasSubstr("\"model.safetensors\""), HasSubstr("open one of the two")));
    EXPECT_EQ(openCheckpoint(m_folder / kIndex).tensors.size(), 3U);
    EXPECT_EQ(openCheckpoint(m_folder / "model.safetensors").tensors.size(), 1U);
}

TEST_F(Class10Shards, PathsOutOfTheFolder)
{
    for (const char* name : {"../x.safetensors", "/etc/passwd", "a/b.safetensors", "..", ".", "", "a\\b"}) {
        writeIndex({{"module.a", name}});
        EXPECT_THAT(error(), AllOf(HasSubstr(kIndex), HasSubstr("\"module.a\""), HasSubstr("not a file beside it"))) << name;
    }
}

TEST_F(Class10Shards, TensorsInTheWrongPlace)
{
    writeIndex({{"module.a", kFirst}, {"module.b", kSecond}, {"module.c", kSecond}});
    EXPECT_THAT(error(), AllOf(HasSubstr("\"module.b\""), HasSubstr(kSecond), HasSubstr("does not hold it")));
    writeIndex({{"module.a", kFirst}, {"module.absent", kSecond}});
    EXPECT_THAT(error(), AllOf(HasSubstr("\"module.absent\""), HasSubstr("does not hold it")));
    writeFile(m_folder / kSecond, shardOf({"module.b", "module.c"}));
    writeIndex({{"module.a", kFirst}, {"module.b", kFirst}, {"module.c", kSecond}});
    EXPECT_THAT(error(),
                AllOf(HasSubstr("\"module.b\""), HasSubstr("in two shards"), HasSubstr(kFirst), HasSubstr(kSecond)));
}

TEST_F(Class10Shards, TensorsTheIndexForgot)
{
    writeIndex({{"module.a", kFirst}, {"module.c", kSecond}});
    const Checkpoint checkpoint = openCheckpoint(m_folder.path());
    EXPECT_EQ(checkpoint.tensors.size(), 3U);
    EXPECT_THAT(checkpoint.notes, testing::Contains(HasSubstr("1 tensors of the shards are not in their index")));
}

TEST_F(Class10Shards, BrokenIndex)
{
    for (const char* json : {"{}", "{\"weight_map\": {}}", "{\"weight_map\": []}", "{\"weight_map\": {\"a\": 3}}",
                             "{\"weight_map\": {\"a\": \"x\", \"a\": \"y\"}}", "["}) {
        writeFile(m_folder / kIndex, json);
        EXPECT_THAT(error(), HasSubstr(kIndex)) << json;
    }
}

TEST(ShardNumber, OfFileNames)
{
    EXPECT_EQ(shardNumber("model-00002-of-00033.safetensors")->number, 2);
    EXPECT_EQ(shardNumber("model-00002-of-00033.safetensors")->count, 33);
    for (const char* name : {"model.safetensors", "", "-00001-of-00002", "model-0001-of-00002.bin",
                             "model-0000x-of-00002.bin", "model-1400.pth"})
        EXPECT_FALSE(shardNumber(name)) << name;
}

} // namespace
} // namespace headscope::core
