// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/trace_export.h"

#include "core/export/info_json.h"
#include "core/export/tokens_json.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/loss_note.h"

#include <fmt/format.h>

#include <filesystem>

namespace headscope::core {

namespace {

using Layout = JsonWriter::Layout;

void writeOptions(JsonWriter& json, const TraceOptions& options, const std::vector<MapAddress>& maps)
{
    json.beginObject();
    json.key("attention");
    json.beginArray(Layout::OneLine);
    for (const MapAddress& address : maps)
        json.value(address.toString());
    json.endArray();
    json.member("routerLogits", options.routerLogits);
    json.member("loss", options.loss);
    json.member("logits", options.logits);
    json.member("predictions", options.predictions);
    json.endObject();
}

/// A note without the folder of the checkpoint.
std::string withoutFolder(std::string note, const ModelInfo& info)
{
    const std::string folder = std::filesystem::path(info.path).parent_path().string() + '/';
    if (folder.size() < 2)
        return note;
    for (std::size_t at = note.find(folder); at != std::string::npos; at = note.find(folder, at))
        note.erase(at, folder.size());
    return note;
}

} // namespace

std::string modelName(const ModelInfo& info)
{
    const std::filesystem::path path = std::filesystem::path(info.path).lexically_normal();
    return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

void writeTraceSettings(JsonWriter& json, const Trace& trace, const TraceExport& what)
{
    const ModelInfo& info = *trace.model;
    json.beginObject();
    json.member("program", what.program);
    json.member("model", modelName(info));
    json.member("container", info.container);
    json.member("device", info.device);
    json.member("dtype", info.dtype);
    writeEvaluation(json, evaluationMode(info));
    json.key("tokenizer");
    writeTokenizer(json, what.tokenizer.get());
    json.key("textPolicy");
    writeTextPolicy(json, info.textPolicy);
    json.key("options");
    writeOptions(json, trace.options, what.maps);
    json.key("hyperParameters");
    writeSettings(json, info.settings);
    json.key("notes");
    json.beginArray();
    for (const std::string& note : info.notes)
        json.value(withoutFolder(note, info));
    if (const auto note = lossNote(trace))
        json.value(*note);
    json.endArray();
    json.endObject();
}

const AttentionKeep& requireBlock(const Trace& trace, const MapAddress& address)
{
    const AttentionKeep* block = trace.block(address);
    if (block == nullptr)
        throw Error(fmt::format("The attention of {} was not kept in this trace; trace the text again and keep the maps.",
                                address.toString()));
    return *block;
}

std::int64_t attentionBytes(const Trace& trace, const TraceExport& what)
{
    std::int64_t bytes = 0;
    for (const MapAddress& address : what.maps) {
        const AttentionKeep& block = requireBlock(trace, address);
        bytes += block.maps * block.rows * block.columns * static_cast<std::int64_t>(sizeof(float));
    }
    return bytes;
}

} // namespace headscope::core
