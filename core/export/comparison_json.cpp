// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/message_text.h"
#include "core/export/base64.h"
#include "core/export/comparison_export.h"
#include "core/export/info_json.h"
#include "core/export/json_writer.h"
#include "core/export/tokens_json.h"

#include <ostream>

namespace headscope::core {
namespace {

using Layout = JsonWriter::Layout;

void writeInterval(JsonWriter& json, std::string_view name, const Interval& interval)
{
    json.key(name);
    json.beginArray(Layout::OneLine);
    json.value(interval.low);
    json.value(interval.high);
    json.endArray();
}

void writeModel(JsonWriter& json, std::string_view key, const std::string& name, const ModelInfo& info,
                const std::string& fingerprint)
{
    json.key(key);
    json.beginObject();
    json.member("model", name);
    json.member("family", info.family);
    json.member("variant", info.variant);
    json.key("fingerprint");
    if (fingerprint.empty())
        json.null();
    else
        json.value(fingerprint);
    json.member("parameters", info.parameters);
    json.member("layers", info.layers);
    writeEvaluation(json, evaluationMode(info));
    json.key("textPolicy");
    writeTextPolicy(json, info.textPolicy);
    json.endObject();
}

void writeSettings(JsonWriter& json, const Comparison& comparison, const ComparisonExport& what)
{
    json.key("settings");
    json.beginObject();
    json.member("matching", toString(comparison.matching));
    json.member("why", comparison.whyMatching);
    json.key("fittedOn");
    if (what.fittedOn.empty())
        json.null();
    else
        json.value(what.fittedOn);
    json.member("crossFitted", comparison.crossFitted);
    json.member("folds", comparison.settings.folds);
    json.member("nullReplicates", comparison.settings.nullReplicates);
    json.member("bootstrapReplicates", comparison.settings.bootstrapReplicates);
    json.member("null", nullMethod(comparison));
    json.member("intervals", intervalMethod(comparison));
    json.member("seed", comparison.settings.seed);
    json.key("pairs");
    json.beginArray();
    for (const auto& [a, b] : comparison.settings.pairs) {
        json.beginArray(Layout::OneLine);
        json.value(a.toString());
        json.value(b.toString());
        json.endArray();
    }
    json.endArray();
    json.endObject();
}

void writeMatching(JsonWriter& json, const RouterComparison& pair)
{
    json.key("experts"); // of B, for each of A; null for none
    json.beginArray(Layout::OneLine);
    for (const int expert : pair.expertOfB) {
        if (expert < 0)
            json.null();
        else
            json.value(expert);
    }
    json.endArray();
}

void writeRouter(JsonWriter& json, const RouterComparison& pair)
{
    json.beginObject();
    json.member("a", pair.a.toString());
    json.member("b", pair.b.toString());
    json.member("expertsA", pair.expertsA);
    json.member("expertsB", pair.expertsB);
    json.member("chosenA", pair.chosenA);
    json.member("chosenB", pair.chosenB);
    json.member("matching", toString(pair.matching));
    writeMatching(json, pair);
    json.member("stability", pair.stability);
    json.member("agreement", pair.agreement);
    json.member("chance", pair.chance);
    json.member("bound", pair.bound);
    json.key("null");
    json.beginObject(Layout::OneLine);
    json.member("mean", pair.nullMean);
    json.member("low", pair.null.low);
    json.member("high", pair.null.high);
    json.member("exceeded", pair.nullExceeded);
    json.key("verdict");
    if (pair.verdict == NullVerdict::None)
        json.null();
    else
        json.value(toString(pair.verdict));
    json.endObject();
    writeInterval(json, "interval", pair.interval);
    json.member("stretches", pair.stretches);
    json.member("intervalDoubtful", pair.intervalDoubtful);
    json.member("loadDivergence", pair.loadDivergence);
    json.member("mutualInformation", pair.mutualInformation);
    json.member("gateCorrelation", pair.gateCorrelation);
    json.key("gateCorrelations");
    json.beginArray(Layout::OneLine);
    for (const double correlation : pair.gateCorrelations)
        json.value(correlation);
    json.endArray();
    json.key("tokens"); // agreement of every unit
    json.beginArray(Layout::OneLine);
    for (const float agreement : pair.unitAgreement)
        json.value(agreement);
    json.endArray();
    json.member("tooLittleText", pair.tooLittleText);
    json.key("notes");
    json.beginArray();
    for (const std::string& note : pair.notes)
        json.value(note);
    json.endArray();
    json.endObject();
}

void writeUnpaired(JsonWriter& json, std::string_view name, const std::vector<UnpairedRouter>& routers)
{
    json.key(name);
    json.beginArray();
    for (const UnpairedRouter& router : routers) {
        json.beginObject(Layout::OneLine);
        json.member("router", router.address.toString());
        json.member("why", router.why);
        json.endObject();
    }
    json.endArray();
}

void writeTokenRange(JsonWriter& json, std::string_view name, const TokenRange& range)
{
    json.key(name);
    json.beginArray(Layout::OneLine);
    json.value(range.first);
    json.value(range.last);
    json.endArray();
}

void writeTokens(JsonWriter& json, const Comparison& comparison, const ComparedTraces& traces)
{
    json.key("tokens");
    json.beginArray();
    for (std::size_t i = 0; i < comparison.units.size(); ++i) {
        const UnitComparison& unit = comparison.units[i];
        const std::string text = unitText(comparison.alignment.units[i], traces);
        json.beginObject(Layout::OneLine);
        json.member("begin", unit.bytes.begin);
        json.member("end", unit.bytes.end);
        json.member("text", text);
        if (!isUtf8(text))
            json.member("textBase64", base64(text));
        writeTokenRange(json, "tokensA", comparison.alignment.units[i].a);
        writeTokenRange(json, "tokensB", comparison.alignment.units[i].b);
        json.member("agreement", unit.agreement);
        json.member("lossA", unit.lossA);
        json.member("lossB", unit.lossB);
        json.member("divergence", unit.divergence);
        json.member("contextA", unit.contextA);
        json.member("contextB", unit.contextB);
        json.endObject();
    }
    json.endArray();
}

void writeRows(JsonWriter& json, std::string_view name, const std::vector<float>& values)
{
    json.key(name);
    json.beginArray(Layout::OneLine);
    for (const float value : values)
        json.value(value);
    json.endArray();
}

void writeAttention(JsonWriter& json, const ComparisonExport& what)
{
    json.key("attention");
    json.beginArray();
    for (const ComparedMaps& compared : what.attention) {
        json.beginObject();
        json.member("a", mapName(compared.maps.a, *what.traces.a));
        json.member("b", mapName(compared.maps.b, *what.traces.b));
        json.member("meanCosine", compared.rows.meanCosine);
        json.member("meanDivergence", compared.rows.meanDivergence);
        writeRows(json, "cosine", compared.rows.cosine);
        writeRows(json, "divergence", compared.rows.divergence);
        json.endObject();
    }
    json.endArray();
}

void writeCost(JsonWriter& json, std::string_view name, const ModelInfo& info, const ComparisonExport& what)
{
    const ModelCost cost = comparedCost(info, what);
    json.key(name);
    json.beginObject(Layout::OneLine);
    json.member("tokens", cost.length.tokens);
    json.member("memory", cost.length.memory);
    json.member("multiplyAccumulates", cost.all.multiplyAccumulates);
    json.member("storedFloats", cost.all.storedFloats);
    json.member("routingMultiplyAccumulates", cost.all.routing);
    json.member("attentionMatrices", cost.all.attentionMatrices);
    json.member("matricesStored", cost.all.matricesStored);
    json.member("matricesComputed", cost.all.matricesComputed);
    json.member("attentionParameters", cost.all.parameters);
    json.member("parameters", info.parameters);
    json.endObject();
}

void writeLoss(JsonWriter& json, const LossComparison& loss)
{
    json.key("loss");
    json.beginObject(Layout::OneLine);
    json.member("bytes", loss.bytes);
    json.member("bitsPerByteA", loss.bitsPerByteA);
    json.member("bitsPerByteB", loss.bitsPerByteB);
    writeInterval(json, "difference", loss.difference);
    json.member("stretches", loss.differenceStretches);
    json.member("intervalDoubtful", loss.differenceDoubtful);
    json.endObject();
}

} // namespace

void writeComparisonJson(std::ostream& out, const Comparison& comparison, const ComparisonExport& what)
{
    JsonWriter json(out);
    json.beginObject();
    json.member("format", "headscope comparison");
    json.member("version", 1);
    json.member("program", what.program);
    const ComparedNames names = comparedNames(comparison);
    writeModel(json, "a", names.a, *comparison.a, what.fingerprintA);
    writeModel(json, "b", names.b, *comparison.b, what.fingerprintB);
    writeSettings(json, comparison, what);
    json.member("text", what.traces.a->text().text);
    json.member("sameTokens", comparison.alignment.sameTokens);
    json.member("agreement", comparison.agreement);
    writeLoss(json, comparison.loss);
    json.key("routers");
    json.beginArray();
    for (const RouterComparison& pair : comparison.routers)
        writeRouter(json, pair);
    json.endArray();
    writeUnpaired(json, "onlyA", comparison.onlyA);
    writeUnpaired(json, "onlyB", comparison.onlyB);
    writeTokens(json, comparison, what.traces);
    if (!what.attention.empty())
        writeAttention(json, what);
    json.key("cost");
    json.beginObject();
    writeCost(json, "a", *comparison.a, what);
    writeCost(json, "b", *comparison.b, what);
    json.endObject();
    json.key("notes");
    json.beginArray();
    for (const std::string& note : comparison.notes)
        json.value(note);
    json.endArray();
    json.endObject();
    json.flush();
}

} // namespace headscope::core
