// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/info_json.h"

#include "core/export/tokens_json.h"

namespace headscope::core {

namespace {

using Layout = JsonWriter::Layout;

void writeShape(JsonWriter& json, const ModelInfo& info)
{
    json.member("parameters", info.parameters);
    json.member("layers", info.layers);
    json.member("width", info.width);
    json.member("vocabulary", info.vocabulary);
    json.member("heads", info.heads);
    json.member("headWidth", info.headWidth);
    json.member("positions", info.positions);
    json.member("norm", info.norm);
    json.key("visibility");
    json.beginObject(Layout::OneLine);
    json.member("causal", info.visibility.causal);
    json.member("segment", info.visibility.segment);
    json.member("segmentsBack", info.visibility.segmentsBack);
    json.member("sameLength", info.visibility.sameLength);
    json.endObject();
}

void writeRouters(JsonWriter& json, const std::vector<Router>& routers)
{
    json.key("routers");
    json.beginArray();
    for (const Router& router : routers) {
        json.beginObject(Layout::OneLine);
        json.member("address", router.address.toString());
        writeRouterMembers(json, router);
        json.endObject();
    }
    json.endArray();
}

void writeMaps(JsonWriter& json, const std::vector<MapGroup>& groups)
{
    json.key("maps");
    json.beginArray();
    for (const MapGroup& group : groups) {
        json.beginObject(Layout::OneLine);
        json.member("address", group.address.toString());
        json.member("maps", group.maps);
        json.member("slots", group.slots);
        json.member("experts", group.experts);
        json.endObject();
    }
    json.endArray();
}

void writeTokenizerWithPath(JsonWriter& json, const Tokenizer* tokenizer)
{
    json.key("tokenizer");
    if (tokenizer == nullptr)
        return json.null();
    json.beginObject(Layout::OneLine);
    json.member("description", tokenizer->description());
    json.member("path", tokenizer->path().string());
    json.member("pieces", tokenizer->size());
    json.endObject();
}

} // namespace

void writeEvaluation(JsonWriter& json, const EvaluationMode& mode)
{
    json.key("evaluation");
    if (mode.segment == 0)
        return json.null();
    json.beginObject(Layout::OneLine);
    json.member("memoryBlocks", mode.memoryBlocks);
    json.member("segment", mode.segment);
    json.member("sameLength", mode.sameLength);
    json.member("lastLayerMemory", mode.lastLayerMemory);
    json.endObject();
}

void writeRouterMembers(JsonWriter& json, const Router& router)
{
    json.member("E", router.experts);
    json.member("k", router.chosen);
    json.member("gate", toString(router.gate));
    json.member("side", toString(router.side));
    json.member("stream", router.stream);
    json.key("sharedWith");
    if (router.sharedWith)
        json.value(router.sharedWith->toString());
    else
        json.null();
    json.key("weightsGroup");
    if (router.weightsGroup)
        json.value(*router.weightsGroup);
    else
        json.null();
    json.member("expertsOfAllHeads", router.expertsOfAllHeads);
    json.member("legend", router.legend());
}

void writeSettings(JsonWriter& json, const std::vector<Setting>& settings)
{
    json.beginArray();
    for (const Setting& setting : settings) {
        json.beginObject(Layout::OneLine);
        json.member("name", setting.name);
        json.member("value", setting.value);
        json.member("source", setting.source);
        if (setting.unconfirmed)
            json.member("confirmed", false);
        if (!setting.overrode.empty())
            json.member("overrode", setting.overrode);
        json.endObject();
    }
    json.endArray();
}

void writeInfoJson(std::ostream& out, const ModelInfo& info, const Tokenizer* tokenizer)
{
    JsonWriter json(out);
    json.beginObject();
    json.member("path", info.path);
    json.member("family", info.family);
    json.member("variant", info.variant);
    json.member("container", info.container);
    writeShape(json, info);
    json.member("device", info.device);
    json.member("dtype", info.dtype);
    writeRouters(json, info.routers);
    writeMaps(json, info.maps);
    json.key("settings");
    writeSettings(json, info.settings);
    writeTokenizerWithPath(json, tokenizer);
    json.key("textPolicy");
    writeTextPolicy(json, info.textPolicy);
    json.key("io");
    json.beginObject(Layout::OneLine);
    json.member("bytesRead", info.bytesRead);
    json.member("modelBytes", info.modelBytes);
    json.endObject();
    json.key("notes");
    json.beginArray();
    for (const std::string& note : info.notes)
        json.value(note);
    json.endArray();
    json.endObject();
}

} // namespace headscope::core
