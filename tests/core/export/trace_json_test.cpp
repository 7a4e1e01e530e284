// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/info_json.h"
#include "core/export/trace_json.h"
#include "tests/core/export/small_trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace headscope::core {
namespace {

using nlohmann::json;

TraceExport withMaps(const Trace& trace)
{
    TraceExport what;
    what.program = "Headscope 0";
    for (const auto& block : trace.attention)
        what.maps.push_back(block->address);
    return what;
}

std::string written(const Trace& trace, const TraceExport& what)
{
    std::ostringstream out;
    writeTraceJson(out, trace, what);
    return out.str();
}

TEST(TraceJson, HoldsEveryValue)
{
    const Trace trace = samples::smallTrace();
    const json read = json::parse(written(trace, withMaps(trace)));
    EXPECT_EQ(read["family"], "moe_attention");
    EXPECT_TRUE(read["fingerprint"].is_null());
    const json& site = read["routers"].at(0);
    EXPECT_EQ(site["address"], "layers.0.self.v");
    EXPECT_EQ(site["heads"], 2);
    EXPECT_EQ(site["E"], 3);
    EXPECT_EQ(site["k"], 2);
    EXPECT_EQ(site["side"], "source");
    EXPECT_EQ(site["experts"][2][1], json({2, 1}));
    EXPECT_EQ(site["gates"][0][0], json({1.0, 0.5}));
    EXPECT_FLOAT_EQ(site["logits"][2][1][1].get<float>(), 2.11F);
    EXPECT_FLOAT_EQ(site["margins"][1][0].get<float>(), 0.01F);
    EXPECT_TRUE(site["margins"][1][1].is_null());
    EXPECT_EQ(read["loss"], json::parse("[null, 1.5, 1.5]"));
    EXPECT_EQ(read["rank"], json::parse("[null, 2, 2]"));
    EXPECT_EQ(read["predictions"]["ids"][2], json({3, 1}));
    EXPECT_EQ(read["predictions"]["probabilities"][2], json({0.5, 0.25}));
    EXPECT_EQ(read["logits"][2], json({20.0, 21.0, 22.0, 23.0}));
    const json& attention = read["attention"].at(0);
    EXPECT_EQ(attention["address"], "layers.0.self");
    ASSERT_EQ(attention["values"].size(), 2U);
    EXPECT_EQ(attention["values"][1][1], json({0.5, 0.5, 0.0}));
}

TEST(TraceJson, HostileTextStaysReadableAndExact)
{
    const Trace trace = samples::smallTrace();
    const json stream = json::parse(written(trace, {}))["streams"].at(0);
    EXPECT_EQ(stream["text"], "a\"\n\xef\xbf\xbd ");
    EXPECT_EQ(stream["textBase64"], "YSIK/yA=");
    EXPECT_EQ(stream["pieces"], json({"a\"", "\n", "\xef\xbf\xbd"}));
    EXPECT_EQ(stream["piecesBase64"], json::parse(R"([null, null, "/w=="])"));
    EXPECT_EQ(stream["spans"], json::parse("[[0, 2], [2, 3], [3, 4]]"));
    EXPECT_EQ(stream["gaps"], json::parse("[[4, 5]]"));
    EXPECT_EQ(stream["special"], json({false, false, false}));
    EXPECT_EQ(stream["groups"], json({0, 1, 2}));
}

TEST(TraceJson, NoTokensIsATrace)
{
    const Trace trace = samples::smallTrace(0);
    const json read = json::parse(written(trace, withMaps(trace)));
    EXPECT_EQ(read["streams"][0]["ids"], json::array());
    EXPECT_EQ(read["routers"][0]["experts"], json::array());
    EXPECT_EQ(read["routers"][0]["logits"], json::array());
    EXPECT_EQ(read["loss"], json::array());
    EXPECT_EQ(read["logits"], json::array());
    EXPECT_EQ(read["attention"][0]["values"], json::parse("[[], []]"));
}

TEST(TraceJson, WhatWasNotAskedForIsNotThere)
{
    Trace trace = samples::smallTrace();
    trace.options = {.maps = false, .routerLogits = false, .loss = false, .logits = false, .predictions = 0};
    auto site = *trace.sites.front();
    site.logits.clear();
    trace.sites = {std::make_shared<const SiteRouting>(site)};
    const json read = json::parse(written(trace, {}));
    for (const char* name : {"loss", "rank", "predictions", "logits", "attention"})
        EXPECT_FALSE(read.contains(name)) << name;
    EXPECT_FALSE(read["routers"][0].contains("logits"));
}

TEST(TraceJson, SaysNothingOfThisMachine)
{
    const Trace trace = samples::smallTrace();
    const std::string text = written(trace, withMaps(trace));
    EXPECT_EQ(text.find("somewhere"), std::string::npos);
    EXPECT_EQ(text, written(trace, withMaps(trace)));
    const json settings = json::parse(text)["settings"];
    EXPECT_EQ(settings["model"], "model-100.pth");
    EXPECT_EQ(settings["program"], "Headscope 0");
    EXPECT_EQ(settings["notes"], json({"args.json disagrees about nothing."}));
    EXPECT_EQ(settings["hyperParameters"][0]["source"], "args");
    EXPECT_EQ(settings["options"]["attention"], json({"layers.0.self"}));
}

TEST(TraceJson, MapsThatWereNotKeptAreRefused)
{
    Trace trace = samples::smallTrace();
    const TraceExport what = withMaps(trace);
    trace.attention.clear();
    std::ostringstream out;
    EXPECT_THROW(writeTraceJson(out, trace, what), Error);
    EXPECT_EQ(out.str(), "");
}

TEST(TraceJson, CanBeCancelled)
{
    const Trace trace = samples::smallTrace();
    std::stop_source source;
    source.request_stop();
    std::ostringstream out;
    EXPECT_THROW(writeTraceJson(out, trace, withMaps(trace), {.report = {}, .stop = source.get_token()}), Cancelled);
}

TEST(InfoJson, SaysWhatACheckpointIs)
{
    ModelInfo info = *samples::smallTrace().model;
    info.modelBytes = 100;
    info.bytesRead = 42;
    info.routers[1].sharedWith = info.routers[0].address;
    std::ostringstream out;
    writeInfoJson(out, info, nullptr);
    const json read = json::parse(out.str());
    EXPECT_EQ(read["variant"], "SwitchHead XL");
    EXPECT_EQ(read["routers"][0]["address"], "layers.0.self.v.h0");
    EXPECT_TRUE(read["routers"][0]["sharedWith"].is_null());
    EXPECT_EQ(read["routers"][1]["sharedWith"], "layers.0.self.v.h0");
    EXPECT_EQ(read["io"], json({{"bytesRead", 42}, {"modelBytes", 100}}));
    EXPECT_TRUE(read["tokenizer"].is_null());
    EXPECT_EQ(read["textPolicy"]["split"], "whole");
    EXPECT_EQ(read["settings"][0]["name"], "moe.att.k");
    EXPECT_EQ(read["visibility"]["causal"], true);
    EXPECT_EQ(read["maps"][0]["address"], "layers.0.self");
}

TEST(ModelName, IsTheLastPartOfThePath)
{
    ModelInfo info;
    for (const char* path : {"a/b/model", "a/b/model/", "model", "./model", "a/b/c/../model"}) {
        info.path = path;
        EXPECT_EQ(modelName(info), "model") << path;
    }
}

} // namespace
} // namespace headscope::core
