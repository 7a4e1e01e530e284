// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/safetensors_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::safetensorsBytes;
using test::readFile;
using test::writeFile;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::string_literals;

const std::string kOneTensor =
    safetensorsBytes(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "\0\0\x80\x3f"s);
const fs::path kData = HEADSCOPE_TEST_DATA;

class OpenCheckpoint : public testing::Test
{
protected:
    std::string errorFor(std::string_view name, std::string_view bytes) const
    {
        writeFile(m_folder / name, bytes);
        return errorAt(m_folder / name);
    }
    static std::string errorAt(const fs::path& path)
    {
        return errorOf([&] { openCheckpoint(path); });
    }

    test::TemporaryFolder m_folder;
};

TEST_F(OpenCheckpoint, Class3NotWhatItsNameSays)
{
    const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 12345\n";
    const std::string page = "\n<!DOCTYPE html>\n<html><head><title>404</title>";
    for (const char* name : {"model.safetensors", "model.pth"}) {
        EXPECT_THAT(errorFor(name, pointer), AllOf(HasSubstr(name), HasSubstr("Git LFS pointer"),
                                                   HasSubstr("not downloaded"), HasSubstr("git lfs pull")));
        EXPECT_THAT(errorFor(name, page), AllOf(HasSubstr(name), HasSubstr("HTML page"), HasSubstr("download")));
        EXPECT_THAT(errorFor(name, ""), AllOf(HasSubstr(name), HasSubstr("empty"), HasSubstr("download it again")));
        EXPECT_THAT(errorFor(name, "Not Found"),
                    AllOf(HasSubstr(name), HasSubstr("a text file"), HasSubstr("\"Not Found\"")));
    }
}

TEST_F(OpenCheckpoint, OtherKindsOfFilesHaveTheirOwnSentence)
{
    const std::string pad(600, '\0');
    std::string tar = pad;
    tar.replace(257, 5, "ustar");
    const std::vector<std::pair<std::string, const char*>> kinds = {
        {"\x1f\x8b\x08" + pad, "gzip"},
        {tar, "tar archive"},
        {"\x93NUMPY" + pad, "NumPy"},
        {"GGUF\x03" + pad, "GGUF"},
        {"\x89HDF\r\n\x1a\n" + pad, "HDF5"},
        {"\x08\x07\x12\x07pytorch" + pad, "ONNX"},
        {"\x28\xb5\x2f\xfd" + pad, "zstd"},
        {"\x80\x04\x95" + pad, "plain Python pickle"},
        {"{\"a\": 1}", "JSON"},
        {"\x01\x02\x03" + pad, "neither a safetensors nor a PyTorch file"},
    };
    for (const auto& [bytes, word] : kinds)
        EXPECT_THAT(errorFor("model.bin", bytes), AllOf(HasSubstr("model.bin"), HasSubstr(word)));
}

TEST_F(OpenCheckpoint, BytesDecideNotTheExtension)
{
    writeFile(m_folder / "model.pth", kOneTensor);
    EXPECT_EQ(openCheckpoint(m_folder / "model.pth").container, "safetensors");
    test::writeTorchCheckpoint(m_folder / "model.safetensors", {.tensors = {{"w", {1}, {1}}}});
    EXPECT_EQ(openCheckpoint(m_folder / "model.safetensors").container, "PyTorch zip");
}

TEST_F(OpenCheckpoint, PathsThatAreNoFile)
{
    EXPECT_THAT(errorAt(m_folder / "absent.pth"), AllOf(HasSubstr("absent.pth"), HasSubstr("does not exist")));
    EXPECT_THAT(errorAt("/dev/null"), HasSubstr("device"));
    ASSERT_EQ(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(errorAt(m_folder / "pipe"), HasSubstr("pipe")); // and does not wait for a writer
}

TEST_F(OpenCheckpoint, FoldersHoldOneCheckpoint)
{
    EXPECT_THAT(errorAt(m_folder.path()), HasSubstr("folder without a checkpoint"));
    writeFile(m_folder / "optimizer.pt", "x");
    writeFile(m_folder / "model-100.pth", kOneTensor);
    EXPECT_EQ(openCheckpoint(m_folder.path()).tensors.size(), 1U);
    EXPECT_EQ(openCheckpoint(m_folder.path()).path, m_folder.path());
    writeFile(m_folder / "model-200.pth", kOneTensor);
    EXPECT_THAT(errorAt(m_folder.path()),
                AllOf(HasSubstr("2 checkpoints"), HasSubstr("\"model-100.pth\", \"model-200.pth\"")));
    writeFile(m_folder / "model.safetensors", kOneTensor);
    EXPECT_EQ(openCheckpoint(m_folder.path()).tensors.size(), 1U); // the name that Hugging Face gives to the whole model
}

TEST_F(OpenCheckpoint, ATraceBesideACheckpointIsNotTakenForOne)
{
    writeFile(m_folder / "weights.safetensors", kOneTensor);
    writeFile(m_folder / "trace.safetensors", safetensorsBytes(R"({"tokens.ids":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "\0\0\0\0"s));
    EXPECT_EQ(openCheckpoint(m_folder.path()).tensors.front().name, "w");
    fs::rename(m_folder / "weights.safetensors", m_folder / "weights.txt"); // two traces and nothing else: as before
    writeFile(m_folder / "second.safetensors", readFile(m_folder / "trace.safetensors"));
    EXPECT_THAT(errorAt(m_folder.path()), HasSubstr("2 checkpoints"));
    EXPECT_NO_THROW(openCheckpoint(kData / "fixtures" / "switchhead_xl"));
}

TEST_F(OpenCheckpoint, TheFolderOfATrainingRun)
{
    writeFile(m_folder / "run/args.json", R"({"state_size": 5})");
    writeFile(m_folder / "run/checkpoint/model-100.pth", kOneTensor);
    for (const char* place : {"run", "run/checkpoint", "run/checkpoint/model-100.pth"}) {
        const Checkpoint checkpoint = openCheckpoint(m_folder / place);
        EXPECT_EQ(checkpoint.hyperParameters["state_size"], 5) << place;
        EXPECT_EQ(checkpoint.hyperParametersFrom, "args.json");
        EXPECT_THAT(checkpoint.notes, testing::ElementsAre(HasSubstr("run/args.json")));
    }
}

TEST_F(OpenCheckpoint, HyperParametersBesideTheFile)
{
    writeFile(m_folder / "a/m.pt", kOneTensor);
    const auto from = [&] { return openCheckpoint(m_folder / "a/m.pt").hyperParametersFrom; };
    EXPECT_EQ(from(), "");
    writeFile(m_folder / "args.json", "{}");
    EXPECT_EQ(from(), "args.json");
    writeFile(m_folder / "a/config.json", "{}");
    EXPECT_EQ(from(), "config.json");
    writeFile(m_folder / "a/headscope.json", R"({"k": 5})");
    EXPECT_EQ(from(), "headscope.json and config.json");
    writeFile(m_folder / "a/args.json", R"({"k": 3, "l": 4})");
    EXPECT_EQ(from(), "headscope.json and args.json");

    writeFile(m_folder / "mine.json", R"({"k": 2})");
    const Checkpoint checkpoint = openCheckpoint(m_folder / "a/m.pt", {.sidecar = m_folder / "mine.json"});
    EXPECT_EQ(checkpoint.hyperParametersFrom, "mine.json and args.json"); // in the place of headscope.json
    EXPECT_EQ(checkpoint.hyperParameters["k"], 2);
    EXPECT_EQ(checkpoint.hyperParameters["l"], 4);
}

TEST_F(OpenCheckpoint, FaultB3WhatTheUserWroteComesFirstKeyByKey)
{
    test::writeTorchCheckpoint(m_folder / "m.pth",
                               {.tensors = {{"w", {1}, {1}}}, .args = {{"k", std::int64_t{1}}, {"l", std::int64_t{1}}, {"m", std::int64_t{1}}}});
    writeFile(m_folder / "headscope.json", R"({"k": 2, "l": 2})");
    writeFile(m_folder / "args.json", R"({"k": 9, "n": 9})"); // the checkpoint has its own
    const Checkpoint checkpoint = openCheckpoint(m_folder / "m.pth", {.given = {{"k", "3"}}});
    EXPECT_EQ(checkpoint.hyperParameters.dump(), R"({"k":"3","l":2,"m":1})");
    EXPECT_EQ(checkpoint.hyperParametersFrom, "given by the user and headscope.json and run_invariants.args");
    ASSERT_EQ(checkpoint.parameterSources.size(), 3U);
    EXPECT_EQ(checkpoint.parameterSources[1].path, m_folder / "headscope.json");
    EXPECT_EQ(checkpoint.parameterSources[1].author, ParameterSource::Author::User);
    EXPECT_EQ(checkpoint.parameterSources[2].author, ParameterSource::Author::Training);
}

TEST_F(OpenCheckpoint, FaultB3BesideALinkAndThenBesideItsTarget)
{
    writeFile(m_folder / "run/model.pt", kOneTensor);
    writeFile(m_folder / "run/args.json", R"({"k": 1})");
    fs::create_symlink(m_folder / "run/model.pt", m_folder / "latest.pt");
    EXPECT_EQ(openCheckpoint(m_folder / "latest.pt").hyperParameters["k"], 1);
    writeFile(m_folder / "headscope.json", R"({"k": 2})");
    EXPECT_EQ(openCheckpoint(m_folder / "latest.pt").hyperParameters["k"], 2);
}

TEST_F(OpenCheckpoint, ASidecarOverridesTheArgumentsInside)
{
    test::writeTorchCheckpoint(m_folder / "m.pth", {.tensors = {{"w", {1}, {1}}}, .args = {{"k", std::int64_t{1}}}});
    writeFile(m_folder / "args.json", R"({"k": 9})");
    EXPECT_EQ(openCheckpoint(m_folder / "m.pth").hyperParameters["k"], 1);
    EXPECT_EQ(openCheckpoint(m_folder / "m.pth", {.sidecar = m_folder / "args.json"}).hyperParameters["k"], 9);
}

TEST_F(OpenCheckpoint, BrokenSidecarsAreNamed)
{
    writeFile(m_folder / "m.pt", kOneTensor);
    for (const char* json : {"", "{", "[]", "3", "{\"a\": 1, \"a\": 2}", "{\"a\": \"\xff\"}"}) {
        writeFile(m_folder / "headscope.json", json);
        EXPECT_THAT(errorAt(m_folder / "m.pt"), HasSubstr("headscope.json")) << json;
    }
    EXPECT_THAT(errorOf([&] { openCheckpoint(m_folder / "m.pt", {.sidecar = m_folder / "absent.json"}); }),
                HasSubstr("absent.json"));
}

TEST_F(OpenCheckpoint, Cancellation)
{
    writeFile(m_folder / "m.pt", kOneTensor);
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(openCheckpoint(m_folder / "m.pt", {}, {.report = {}, .stop = source.get_token()}), Cancelled);
    EXPECT_THROW(fingerprint(openCheckpoint(m_folder / "m.pt"), {.report = {}, .stop = source.get_token()}), Cancelled);
}

TEST_F(OpenCheckpoint, AFileThatChangesIsAnError)
{
    writeFile(m_folder / "m.pt", kOneTensor);
    const Checkpoint checkpoint = openCheckpoint(m_folder / "m.pt");
    EXPECT_NO_THROW(checkpoint.files.front()->requireUnchanged());
    fs::resize_file(m_folder / "m.pt", 20);
    EXPECT_THAT(errorOf([&] { checkpoint.tensors.front().readFloats(); }), HasSubstr("became shorter"));
    EXPECT_THAT(errorOf([&] { checkpoint.files.front()->requireUnchanged(); }), HasSubstr("changed since it was opened"));
    fs::remove(m_folder / "m.pt");
    EXPECT_THAT(errorOf([&] { checkpoint.files.front()->requireUnchanged(); }), HasSubstr("no longer there"));
}

TEST_F(OpenCheckpoint, TheFingerprintIsOfTheModelNotOfTheFile)
{
    test::TorchCheckpoint torch{.tensors = {{"b", {2, 2}, {1, 2, 3, 4}}, {"a", {1}, {5}, DType::F16}}};
    test::writeTorchCheckpoint(m_folder / "m.pth", torch);
    torch.optimizer = test::OptimizerState::Adam;
    torch.container = test::TorchContainer::Legacy;
    test::writeTorchCheckpoint(m_folder / "legacy.pth", torch);
    torch.tensors[0].values = {1, 3, 2, 4};
    torch.tensors[0].strides = {1, 2}; // the same matrix, stored column by column
    test::writeTorchCheckpoint(m_folder / "strided.pth", torch);
    const std::string a = test::encodeElements({5}, DType::F16);
    const std::string b = test::encodeElements({1, 2, 3, 4}, DType::F32);
    writeSafetensors(m_folder / "m.safetensors",
                     std::vector<SafetensorsTensor>{{{"a", DType::F16, {1}}, std::as_bytes(std::span(a))},
                                                    {{"b", DType::F32, {2, 2}}, std::as_bytes(std::span(b))}});

    const std::string expected = fingerprint(openCheckpoint(m_folder / "m.pth"));
    EXPECT_THAT(expected, testing::MatchesRegex("[0-9a-f]{64}"));
    for (const char* name : {"legacy.pth", "strided.pth", "m.safetensors"})
        EXPECT_EQ(fingerprint(openCheckpoint(m_folder / name)), expected) << name;
    torch.tensors[0].values[3] = 4.5;
    test::writeTorchCheckpoint(m_folder / "other.pth", torch);
    EXPECT_NE(fingerprint(openCheckpoint(m_folder / "other.pth")), expected);
}

struct FixtureFile {
    const char* path;
    std::size_t tensors;
    const char* tensor;
    std::vector<std::int64_t> shape;
};

class Fixtures : public testing::TestWithParam<FixtureFile>
{
};
INSTANTIATE_TEST_SUITE_P(
    All, Fixtures,
    testing::Values(
        FixtureFile{"fixtures/switchhead_xl/model-100000.pth", 35, "unique_layers.1.self_attn.projections.v", {8, 24, 8}},
        FixtureFile{"fixtures/moa_mode_moa/model-100000.pth", 33, "unique_layers.0.self_attn.sel_dst", {6, 24}},
        FixtureFile{"fixtures/moa_mode_my/model-100000.pth", 33, "embedding.weight", {192, 24}},
        FixtureFile{"fixtures/dense_xl/model-100000.pth", 37, "unique_layers.0.self_attn.data_to_kv.weight", {48, 24}},
        FixtureFile{"fixtures/switchall_xl/model-100000.pth", 35, "unique_layers.0.pkm.keys", {8, 24, 4}},
        FixtureFile{"demo/switchhead/model-1400.pth", 65, "unique_layers.3.self_attn.selections.v", {10, 192}}));

TEST_P(Fixtures, OpenAsTheirFilesSay)
{
    const Checkpoint checkpoint = openCheckpoint(kData / GetParam().path);
    EXPECT_EQ(checkpoint.container, "PyTorch zip");
    EXPECT_EQ(checkpoint.hyperParametersFrom, "run_invariants.args");
    EXPECT_EQ(checkpoint.tensors.size(), GetParam().tensors);
    EXPECT_TRUE(checkpoint.notes.empty());
    const TensorView* tensor = checkpoint.find(GetParam().tensor);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->shape, GetParam().shape);
    for (const TensorView& view : checkpoint.tensors)
        EXPECT_EQ(view.readFloats().size(), static_cast<std::size_t>(view.elementCount())) << view.name;
    EXPECT_TRUE(checkpoint.find("output.weight") == nullptr ||
                checkpoint.modelBytes() <= fs::file_size(checkpoint.files.front()->path()));
}

TEST(ExpectedTraces, OpenAsSafetensors)
{
    for (const char* name : {"switchhead_xl", "moa_mode_moa", "moa_mode_my", "dense_xl", "switchall_xl"}) {
        const Checkpoint checkpoint = openCheckpoint(kData / "fixtures" / name / "expected.safetensors");
        EXPECT_EQ(checkpoint.container, "safetensors");
        ASSERT_NE(checkpoint.find("tokens.ids"), nullptr);
        EXPECT_EQ(checkpoint.find("tokens.ids")->dtype, DType::I64);
        EXPECT_EQ(checkpoint.find("logits")->shape.at(1), 192);
    }
}

} // namespace
} // namespace headscope::core
