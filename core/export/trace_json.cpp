// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/trace_json.h"

#include "core/attention/maps.h"
#include "core/export/info_json.h"
#include "core/export/tokens_json.h"

#include <span>

namespace headscope::core {

namespace {

using Layout = JsonWriter::Layout;

template<typename Number>
void writeRow(JsonWriter& json, std::span<const Number> values)
{
    json.beginArray(Layout::OneLine);
    for (const Number value : values)
        json.value(value);
    json.endArray();
}

/// [rows, width], a line per row.
template<typename Number>
void writeMatrix(JsonWriter& json, std::span<const Number> values, std::int64_t rows, std::size_t width, const Progress& progress)
{
    json.beginArray();
    for (std::int64_t row = 0; row < rows; ++row) {
        progress.checkpoint();
        writeRow(json, values.subspan(static_cast<std::size_t>(row) * width, width));
    }
    json.endArray();
}

/// [tokens, heads, width], a line per token.
template<typename Number>
void writePerToken(JsonWriter& json, std::string_view name, std::span<const Number> values, const SiteRouting& site, int width)
{
    const auto wide = static_cast<std::size_t>(width);
    json.key(name);
    json.beginArray();
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        json.beginArray(Layout::OneLine);
        for (int head = 0; head < site.heads; ++head)
            writeRow(json, values.subspan((static_cast<std::size_t>(token) * site.heads + head) * wide, wide));
        json.endArray();
    }
    json.endArray();
}

void writeSite(JsonWriter& json, const SiteRouting& site, const Progress& progress)
{
    json.beginObject();
    json.member("address", site.router.address.toString());
    json.member("heads", site.heads);
    writeRouterMembers(json, site.router);
    writePerToken(json, "experts", std::span(site.experts), site, site.router.chosen);
    writePerToken(json, "gates", std::span(site.gates), site, site.router.chosen);
    if (!site.logits.empty() || site.tokens == 0)
        writePerToken(json, "logits", std::span(site.logits), site, site.router.experts);
    json.key("margins");
    writeMatrix(json, std::span(site.margins), site.tokens, static_cast<std::size_t>(site.heads), progress);
    json.endObject();
}

void writeStreams(JsonWriter& json, const std::vector<Stream>& streams)
{
    json.key("streams");
    json.beginArray();
    for (const Stream& stream : streams) {
        json.beginObject();
        json.member("name", stream.name);
        writeTokenMembers(json, stream.text);
        json.endObject();
    }
    json.endArray();
}

void writeLoss(JsonWriter& json, const Trace& trace)
{
    if (!trace.options.loss)
        return;
    json.key("loss");
    writeRow(json, std::span(trace.loss));
    json.key("rank");
    json.beginArray(Layout::OneLine);
    for (const std::int32_t rank : trace.rank) {
        if (rank < 0)
            json.null();
        else
            json.value(rank);
    }
    json.endArray();
}

template<typename Member>
void writePredictionMember(JsonWriter& json, std::string_view name, const Trace& trace, Member member)
{
    const auto count = static_cast<std::size_t>(trace.options.predictions);
    json.key(name);
    json.beginArray();
    for (std::size_t at = 0; at + count <= trace.predictions.size(); at += count) {
        json.beginArray(Layout::OneLine);
        for (std::size_t i = 0; i < count; ++i)
            json.value(member(trace.predictions[at + i]));
        json.endArray();
    }
    json.endArray();
}

void writePredictions(JsonWriter& json, const Trace& trace, const Tokenizer* tokenizer)
{
    if (trace.options.predictions <= 0)
        return;
    json.key("predictions");
    json.beginObject();
    writePredictionMember(json, "ids", trace, [](const Prediction& prediction) { return prediction.id; });
    if (tokenizer != nullptr)
        writePredictionMember(json, "pieces", trace, [&](const Prediction& prediction) { return tokenizer->piece(prediction.id); });
    writePredictionMember(json, "probabilities", trace, [](const Prediction& prediction) { return prediction.probability; });
    json.endObject();
}

void writeAttention(JsonWriter& json, const Trace& trace, const MapAddress& address, const Progress& progress)
{
    const AttentionKeep& block = requireBlock(trace, address);
    json.beginObject();
    json.member("address", address.toString());
    json.member("maps", block.maps);
    json.member("slots", block.slots);
    json.member("rowStream", block.rowStream);
    json.member("columnStream", block.columnStream);
    json.key("values");
    json.beginArray();
    for (const MapRef& map : mapsOf(block)) {
        progress.checkpoint();
        const Tile whole = wholeMap(trace, map);
        writeMatrix(json, std::span(whole.values), whole.area.rows, static_cast<std::size_t>(whole.area.columns), progress);
    }
    json.endArray();
    json.endObject();
}

} // namespace

void writeTraceJson(std::ostream& out, const Trace& trace, const TraceExport& what, const Progress& progress)
{
    for (const MapAddress& address : what.maps)
        requireBlock(trace, address);
    JsonWriter json(out);
    json.beginObject();
    json.member("family", trace.model->family);
    json.member("variant", trace.model->variant);
    json.key("fingerprint");
    if (what.fingerprint.empty())
        json.null();
    else
        json.value(what.fingerprint);
    json.key("settings");
    writeTraceSettings(json, trace, what);
    writeStreams(json, trace.streams);
    writeLoss(json, trace);
    writePredictions(json, trace, what.tokenizer.get());
    json.key("routers");
    json.beginArray();
    for (const auto& site : trace.sites)
        writeSite(json, *site, progress);
    json.endArray();
    if (!what.maps.empty()) {
        json.key("attention");
        json.beginArray();
        for (const MapAddress& address : what.maps)
            writeAttention(json, trace, address, progress);
        json.endArray();
    }
    if (trace.options.logits) {
        const std::int64_t tokens = trace.tokens(static_cast<int>(trace.streams.size()) - 1);
        const std::size_t width = tokens == 0 ? 0 : trace.logits.size() / static_cast<std::size_t>(tokens);
        json.key("logits");
        writeMatrix(json, std::span(trace.logits), tokens, width, progress);
    }
    json.endObject();
}

} // namespace headscope::core
