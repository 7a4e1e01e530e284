// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "core/export/trace_safetensors.h"
#include "tests/core/export/small_trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A folder of the test's own, removed at the end.
class TraceFile : public testing::Test
{
protected:
    TraceFile()
    {
        std::string name = fs::temp_directory_path() / "headscope-trace-XXXXXX";
        m_folder = mkdtemp(name.data());
    }
    ~TraceFile() override { fs::remove_all(m_folder); }

    fs::path file(const char* name) const { return m_folder / name; }

    fs::path write(const Trace& trace, const char* name = "trace.safetensors") const
    {
        TraceExport what;
        what.program = "Headscope 0";
        what.fingerprint = "abc";
        for (const auto& block : trace.attention)
            what.maps.push_back(block->address);
        writeTraceFile(file(name), trace, what);
        return file(name);
    }

    fs::path m_folder;
};

std::string bytesOf(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

json headerOf(const fs::path& path)
{
    const std::string bytes = bytesOf(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    return json::parse(bytes.substr(8, length));
}

std::vector<float> values(const Checkpoint& file, const char* name)
{
    const TensorView* tensor = file.find(name);
    return tensor == nullptr ? std::vector<float>{} : tensor->readFloats();
}

TEST_F(TraceFile, HoldsEveryTensorWithItsShape)
{
    const Checkpoint read = openCheckpoint(write(samples::smallTrace()));
    std::map<std::string, std::string> found;
    for (const TensorView& tensor : read.tensors)
        found[tensor.name] = tensor.describe();
    const std::map<std::string, std::string> expected{
        {"layers.0.self.attention", "[2, 3, 3] F32"},
        {"layers.0.self.v.experts", "[3, 2, 2] I64"},
        {"layers.0.self.v.gates", "[3, 2, 2] F32"},
        {"layers.0.self.v.logits", "[3, 2, 3] F32"},
        {"logits", "[3, 4] F32"},
        {"tokens.ids", "[3] I64"},
        {"x.layers.0.self.v.margin", "[3, 2] F32"},
        {"x.loss", "[3] F32"},
        {"x.predictions.ids", "[3, 2] I64"},
        {"x.predictions.probabilities", "[3, 2] F32"},
        {"x.rank", "[3] I64"},
        {"x.tokens.spans", "[3, 2] I64"},
    };
    EXPECT_EQ(found, expected);
}

TEST_F(TraceFile, HoldsTheValues)
{
    const Checkpoint read = openCheckpoint(write(samples::smallTrace()));
    EXPECT_EQ(values(read, "tokens.ids"), (std::vector<float>{0, 1, 2}));
    EXPECT_EQ(values(read, "x.tokens.spans"), (std::vector<float>{0, 2, 2, 3, 3, 4}));
    EXPECT_FLOAT_EQ(values(read, "layers.0.self.v.logits").at(2 * 6 + 1 * 3 + 1), 2.11F);
    EXPECT_EQ(values(read, "layers.0.self.v.experts").at(2 * 4 + 2), 2);
    EXPECT_EQ(values(read, "x.rank"), (std::vector<float>{-1, 2, 2}));
    EXPECT_EQ(values(read, "x.predictions.ids"), (std::vector<float>{3, 1, 3, 1, 3, 1}));
    const std::vector<float> loss = values(read, "x.loss");
    EXPECT_TRUE(std::isnan(loss.at(0)));
    EXPECT_EQ(loss.at(2), 1.5F);
    const std::vector<float> attention = values(read, "layers.0.self.attention");
    EXPECT_NEAR(attention.at(9 + 3 + 1), 0.5F, 1e-6F);
    EXPECT_EQ(attention.at(9 + 3 + 2), 0.0F);
}

TEST_F(TraceFile, SaysWhatLedToIt)
{
    const json metadata = headerOf(write(samples::smallTrace()))["__metadata__"];
    EXPECT_EQ(metadata["family"], "moe_attention");
    EXPECT_EQ(metadata["variant"], "SwitchHead XL");
    EXPECT_EQ(metadata["fingerprint"], "abc");
    EXPECT_EQ(metadata["text"], "a\"\n\xef\xbf\xbd ");
    EXPECT_EQ(metadata["textBase64"], "YSIK/yA=");
    EXPECT_EQ(json::parse(metadata["pieces"].get<std::string>()).size(), 3U);
    const json settings = json::parse(metadata["settings"].get<std::string>());
    EXPECT_EQ(settings["model"], "model-100.pth");
    EXPECT_EQ(settings["device"], "cpu");
    EXPECT_EQ(settings["dtype"], "float32");
    EXPECT_EQ(settings["textPolicy"]["split"], "whole");
}

TEST_F(TraceFile, NoTokensIsATrace)
{
    const Checkpoint read = openCheckpoint(write(samples::smallTrace(0)));
    EXPECT_EQ(read.find("tokens.ids")->shape, (std::vector<std::int64_t>{0}));
    EXPECT_EQ(read.find("layers.0.self.v.logits")->shape, (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(read.find("layers.0.self.attention")->shape, (std::vector<std::int64_t>{2, 0, 0}));
    EXPECT_EQ(read.find("logits")->shape, (std::vector<std::int64_t>{0, 4}));
}

TEST_F(TraceFile, TheSameTraceGivesTheSameBytes)
{
    EXPECT_EQ(bytesOf(write(samples::smallTrace(), "a")), bytesOf(write(samples::smallTrace(), "b")));
}

TEST_F(TraceFile, TensorsBeginAtMultiplesOfTheirElements)
{
    const json header = headerOf(write(samples::smallTrace()));
    for (const auto& [name, tensor] : header.items()) {
        if (name != "__metadata__") {
            EXPECT_EQ(tensor["data_offsets"][0].get<int>() % (tensor["dtype"] == "I64" ? 8 : 4), 0) << name;
        }
    }
}

TEST_F(TraceFile, TwoTextsAreSourceAndTarget)
{
    Trace trace = samples::smallTrace();
    Stream source{"source", samples::smallTrace(2).streams.front().text};
    trace.streams.insert(trace.streams.begin(), source);
    trace.streams.back().name = "target";
    const fs::path path = write(trace);
    EXPECT_EQ(values(openCheckpoint(path), "source.ids"), (std::vector<float>{0, 1}));
    EXPECT_EQ(headerOf(path)["__metadata__"]["source"], "a\"\n ");
}

TEST_F(TraceFile, CancellingLeavesWhatWasThere)
{
    std::ofstream(file("trace.safetensors")) << "before";
    std::stop_source source;
    source.request_stop();
    const Trace trace = samples::smallTrace();
    EXPECT_THROW(writeTraceFile(file("trace.safetensors"), trace, {}, {.report = {}, .stop = source.get_token()}), Cancelled);
    EXPECT_EQ(bytesOf(file("trace.safetensors")), "before");
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), {}), 1);
}

} // namespace
} // namespace headscope::core
