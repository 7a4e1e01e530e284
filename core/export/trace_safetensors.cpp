// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/trace_safetensors.h"

#include "core/attention/maps.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/safetensors_writer.h"
#include "core/export/base64.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <sstream>

namespace headscope::core {

namespace {

/// A tensor of the file, and how its bytes are made when its turn comes.
struct Planned {
    SafetensorsEntry entry;
    std::function<void(SafetensorsWriter&)> write;
};

class Plan
{
public:
    /// Values of the trace, which outlives the plan.
    void floats(std::string name, std::vector<std::int64_t> shape, std::span<const float> values)
    {
        m_tensors.push_back({{std::move(name), DType::F32, std::move(shape)}, [values](SafetensorsWriter& file) { file.write(values); }});
    }
    /// Values made for the file.
    void ownFloats(std::string name, std::vector<std::int64_t> shape, std::vector<float> values)
    {
        m_tensors.push_back({{std::move(name), DType::F32, std::move(shape)},
                             [kept = std::move(values)](SafetensorsWriter& file) { file.write(std::span<const float>(kept)); }});
    }
    void integers(std::string name, std::vector<std::int64_t> shape, std::vector<std::int64_t> values)
    {
        m_tensors.push_back({{std::move(name), DType::I64, std::move(shape)},
                             [kept = std::move(values)](SafetensorsWriter& file) { file.write(std::span<const std::int64_t>(kept)); }});
    }
    void attention(const Trace& trace, const AttentionKeep& block, const Progress& progress)
    {
        m_tensors.push_back({{block.address.toString() + ".attention", DType::F32, {block.maps, block.rows, block.columns}},
                             [&trace, &block, &progress](SafetensorsWriter& file) {
                                 for (const MapRef& map : mapsOf(block)) {
                                     progress.checkpoint();
                                     file.write(std::span<const float>(wholeMap(trace, map).values));
                                 }
                             }});
    }

    /// Wide elements first, so that every tensor begins at a multiple of its element's size.
    std::vector<Planned> inFileOrder() &&
    {
        std::stable_partition(m_tensors.begin(), m_tensors.end(), [](const Planned& t) { return t.entry.dtype == DType::I64; });
        return std::move(m_tensors);
    }

private:
    std::vector<Planned> m_tensors;
};

template<typename Number>
std::vector<std::int64_t> widened(const std::vector<Number>& values)
{
    return {values.begin(), values.end()};
}

void planTokens(Plan& plan, const Trace& trace)
{
    if (trace.streams.size() > 1)
        plan.integers("source.ids", {trace.tokens(0)}, widened(trace.text(0).ids()));
    const TokenizedText& text = trace.streams.back().text;
    const auto tokens = static_cast<std::int64_t>(text.tokens.size());
    std::vector<std::int64_t> spans;
    for (const Token& token : text.tokens) {
        spans.push_back(static_cast<std::int64_t>(token.span.begin));
        spans.push_back(static_cast<std::int64_t>(token.span.end));
    }
    plan.integers("tokens.ids", {tokens}, widened(text.ids()));
    plan.integers("x.tokens.spans", {tokens, 2}, std::move(spans));
}

void planSite(Plan& plan, const SiteRouting& site)
{
    const std::string name = site.router.address.wholeSite().toString();
    plan.integers(name + ".experts", {site.tokens, site.heads, site.router.chosen}, widened(site.experts));
    plan.floats(name + ".gates", {site.tokens, site.heads, site.router.chosen}, site.gates);
    if (!site.logits.empty() || site.tokens == 0)
        plan.floats(name + ".logits", {site.tokens, site.heads, site.router.experts}, site.logits);
    plan.floats("x." + name + ".margin", {site.tokens, site.heads}, site.margins);
}

void planOutput(Plan& plan, const Trace& trace)
{
    const auto tokens = static_cast<std::int64_t>(trace.streams.back().text.tokens.size());
    if (trace.options.loss) {
        plan.floats("x.loss", {tokens}, trace.loss);
        plan.integers("x.rank", {tokens}, widened(trace.rank));
    }
    if (trace.options.predictions > 0) {
        std::vector<std::int64_t> ids;
        std::vector<float> probabilities;
        for (const Prediction& prediction : trace.predictions) {
            ids.push_back(prediction.id);
            probabilities.push_back(prediction.probability);
        }
        plan.integers("x.predictions.ids", {tokens, trace.options.predictions}, std::move(ids));
        plan.ownFloats("x.predictions.probabilities", {tokens, trace.options.predictions}, std::move(probabilities));
    }
    if (trace.options.logits)
        plan.floats("logits", {tokens, trace.model->vocabulary}, trace.logits);
}

void addText(std::map<std::string, std::string>& metadata, const std::string& key, const std::string& text)
{
    metadata[key] = toUtf8(text);
    if (!isUtf8(text))
        metadata[key + "Base64"] = base64(text);
}

std::string piecesAsJson(const std::vector<Token>& tokens)
{
    std::ostringstream out;
    JsonWriter json(out);
    json.beginArray(JsonWriter::Layout::OneLine);
    for (const Token& token : tokens)
        json.value(token.piece);
    json.endArray();
    json.flush();
    return out.str();
}

std::map<std::string, std::string> metadataOf(const Trace& trace, const TraceExport& what)
{
    std::map<std::string, std::string> metadata;
    if (trace.streams.size() > 1)
        addText(metadata, "source", trace.text(0).text);
    addText(metadata, "text", trace.streams.back().text.text);
    metadata["pieces"] = piecesAsJson(trace.streams.back().text.tokens);
    metadata["family"] = trace.model->family;
    metadata["variant"] = trace.model->variant;
    metadata["fingerprint"] = what.fingerprint;
    std::ostringstream settings;
    {
        JsonWriter json(settings);
        writeTraceSettings(json, trace, what);
    }
    metadata["settings"] = settings.str();
    return metadata;
}

} // namespace

void writeTraceFile(const std::filesystem::path& path, const Trace& trace, const TraceExport& what, const Progress& progress)
{
    Plan plan;
    planTokens(plan, trace);
    for (const auto& site : trace.sites)
        planSite(plan, *site);
    planOutput(plan, trace);
    for (const MapAddress& address : what.maps)
        plan.attention(trace, requireBlock(trace, address), progress);

    const std::vector<Planned> tensors = std::move(plan).inFileOrder();
    std::vector<SafetensorsEntry> entries;
    for (const Planned& tensor : tensors)
        entries.push_back(tensor.entry);
    SafetensorsWriter file(path, std::move(entries), metadataOf(trace, what));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(tensors.size()), "writing the trace");
        tensors[i].write(file);
    }
    file.finish();
}

} // namespace headscope::core
