// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/counts_metadata.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"
#include "core/corpus/pools.h"
#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace headscope::core {

namespace {

using nlohmann::json;

constexpr std::array gateKinds{GateKind::SoftmaxAll, GateKind::SoftmaxChosen, GateKind::Sigmoid,   GateKind::Magnitude,
                               GateKind::Binary,     GateKind::L1Normalised,  GateKind::OutputGate};

std::string text(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json basisJson(const CountBasis& basis)
{
    json value{{"model", basis.model},
               {"family", basis.family},
               {"variant", basis.variant},
               {"fingerprint", basis.fingerprint},
               {"dtype", basis.dtype},
               {"tokenizer", basis.tokenizer},
               {"tokenizerHash", basis.tokenizerHash},
               {"textPolicy",
                {{"split", toString(basis.textPolicy.split)},
                 {"addBos", basis.textPolicy.addBos},
                 {"addEos", basis.textPolicy.addEos},
                 {"documentSeparator", basis.textPolicy.documentSeparator}}},
               {"window", basis.window},
               {"skipFirst", basis.skipFirst},
               {"groups", basis.groups},
               {"words", basis.words}};
    if (const EvaluationMode& mode = basis.evaluation; mode.segment > 0) {
        value["memoryBlocks"] = mode.memoryBlocks;
        value["segment"] = mode.segment;
        value["sameLength"] = mode.sameLength;
        value["lastLayerMemory"] = mode.lastLayerMemory;
    }
    if (!basis.jsonField.empty())
        value["jsonField"] = basis.jsonField;
    return value;
}

/// What few corpora have, and only their counts say.
template<typename Size>
auto oddities(Size& corpus)
{
    return std::array{std::pair("blankDocuments", &corpus.blankDocuments), std::pair("equalDocuments", &corpus.equalDocuments),
                      std::pair("invalidBytes", &corpus.invalidBytes)};
}

json streamJson(const StreamCounts& stream)
{
    json value{{"name", stream.name},
               {"corpusHash", toString(stream.corpus.hash)},
               {"documents", stream.corpus.documents},
               {"bytes", stream.corpus.bytes},
               {"tokens", stream.corpus.tokens},
               {"positions", stream.corpus.positions}};
    for (const auto& [name, count] : oddities(stream.corpus))
        if (*count > 0)
            value[name] = *count;
    return value;
}

json routerJson(const Router& router)
{
    json value{{"address", router.address.toString()}, {"experts", router.experts},         {"chosen", router.chosen},
               {"gate", toString(router.gate)},        {"side", toString(router.side)}, {"stream", router.stream}};
    if (router.weightsGroup)
        value["weightsGroup"] = *router.weightsGroup;
    if (router.expertsOfAllHeads)
        value["expertsOfAllHeads"] = true;
    return value;
}

/// Reads members and says which one is wrong.
class Reader
{
public:
    using Fail = std::function<void(std::string_view)>;
    Reader(const std::map<std::string, std::string>& metadata, const Fail& fail) : m_metadata(metadata), m_fail(fail) {}

    json member(const std::string& key) const
    {
        const auto found = m_metadata.find(key);
        if (found == m_metadata.end())
            wrong(fmt::format("its metadata has no {}", quotedName(key)));
        try {
            return parseStrictJson(found->second, key);
        } catch (const Error& error) {
            wrong(fmt::format("its metadata is damaged ({})", error.what()));
        }
    }
    template<typename Value>
    Value get(const json& object, const char* name) const
    {
        try {
            return object.at(name).get<Value>();
        } catch (const json::exception&) {
            wrong(fmt::format("its metadata lacks {} or has it in another form", quotedName(name)));
        }
    }
    /// A whole number in [least, most].
    std::int64_t number(const json& object, const char* name, std::int64_t least, std::int64_t most) const
    {
        const auto found = object.is_object() ? object.find(name) : object.end();
        if (!object.is_object() || found == object.end() || !found->is_number_integer())
            wrong(fmt::format("its metadata has no whole number {}", quotedName(name)));
        const bool fits = !found->is_number_unsigned() || found->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
        if (!fits || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
            wrong(fmt::format("its metadata gives {} as {}, outside [{}, {}]", quotedName(name), found->dump(), least, most));
        return found->get<std::int64_t>();
    }
    std::uint64_t size(const json& object, const char* name) const
    {
        return static_cast<std::uint64_t>(number(object, name, 0, INT64_MAX));
    }
    [[noreturn]] void wrong(const std::string& what) const
    {
        m_fail(what);
        throw Error(what);
    }

private:
    const std::map<std::string, std::string>& m_metadata;
    const Fail& m_fail;
};

CountBasis readBasis(const Reader& reader)
{
    const json value = reader.member("basis");
    CountBasis basis;
    basis.model = reader.get<std::string>(value, "model");
    basis.family = reader.get<std::string>(value, "family");
    basis.variant = reader.get<std::string>(value, "variant");
    basis.fingerprint = reader.get<std::string>(value, "fingerprint");
    basis.dtype = reader.get<std::string>(value, "dtype");
    basis.tokenizer = reader.get<std::string>(value, "tokenizer");
    basis.tokenizerHash = reader.get<std::string>(value, "tokenizerHash");
    const json policy = reader.get<json>(value, "textPolicy");
    const auto split = textSplitFromString(reader.get<std::string>(policy, "split"));
    if (!split)
        reader.wrong("its text policy is none this version knows");
    basis.textPolicy = {*split, reader.get<bool>(policy, "addBos"), reader.get<bool>(policy, "addEos"),
                        reader.get<std::string>(policy, "documentSeparator")};
    basis.window = reader.number(value, "window", 1, INT32_MAX);
    basis.skipFirst = reader.number(value, "skipFirst", 0, INT32_MAX);
    basis.groups = static_cast<int>(reader.number(value, "groups", 1, maxGroups));
    basis.words = reader.get<bool>(value, "words");
    if (value.contains("segment")) // earlier versions do not say
        basis.evaluation = {reader.number(value, "memoryBlocks", 0, INT32_MAX),
                            reader.number(value, "segment", 1, INT32_MAX), reader.get<bool>(value, "sameLength"),
                            reader.get<bool>(value, "lastLayerMemory")};
    if (value.contains("jsonField"))
        basis.jsonField = reader.get<std::string>(value, "jsonField");
    return basis;
}

StreamCounts readStream(const Reader& reader, const json& value)
{
    StreamCounts stream;
    stream.name = reader.get<std::string>(value, "name");
    const auto hash = corpusHashFromString(reader.get<std::string>(value, "corpusHash"));
    if (!hash)
        reader.wrong("its corpus hash is no list of 64 hexadecimal digits");
    stream.corpus = {*hash, reader.size(value, "documents"), reader.size(value, "bytes"), reader.size(value, "tokens"),
                     reader.size(value, "positions")};
    for (const auto& [name, count] : oddities(stream.corpus))
        if (value.contains(name))
            *count = reader.size(value, name);
    return stream;
}

Router readRouter(const Reader& reader, const json& value, std::size_t streams)
{
    constexpr int mostExperts = 1 << 16;
    Router router;
    const auto address = RouterAddress::parse(reader.get<std::string>(value, "address"));
    if (!address)
        reader.wrong("a router has no valid address");
    router.address = *address;
    router.experts = static_cast<int>(reader.number(value, "experts", 1, mostExperts));
    router.chosen = static_cast<int>(reader.number(value, "chosen", 1, router.experts));
    router.stream = static_cast<int>(reader.number(value, "stream", 0, static_cast<std::int64_t>(streams) - 1));
    const auto gate = reader.get<std::string>(value, "gate");
    const auto* const kind = std::find_if(gateKinds.begin(), gateKinds.end(), [&](GateKind known) { return toString(known) == gate; });
    if (kind == gateKinds.end())
        reader.wrong(fmt::format("{} has a gate that this version does not know", address->toString()));
    router.gate = *kind;
    const auto side = reader.get<std::string>(value, "side");
    if (side != toString(Side::Source) && side != toString(Side::Destination))
        reader.wrong(fmt::format("{} reads neither source nor destination", address->toString()));
    router.side = side == toString(Side::Source) ? Side::Source : Side::Destination;
    if (value.contains("weightsGroup"))
        router.weightsGroup = reader.get<std::string>(value, "weightsGroup");
    if (value.contains("expertsOfAllHeads"))
        router.expertsOfAllHeads = reader.get<bool>(value, "expertsOfAllHeads");
    return router;
}

json requireList(const Reader& reader, const std::string& key)
{
    json list = reader.member(key);
    if (!list.is_array())
        reader.wrong(fmt::format("its metadata {} is no list", quotedName(key)));
    return list;
}

CountedParts readParts(const Reader& reader)
{
    const json value = reader.member("parts");
    CountedParts parts;
    parts.of = static_cast<int>(reader.number(value, "of", 1, maxParts));
    const json list = reader.get<json>(value, "parts");
    if (!list.is_array())
        reader.wrong("its list of parts is none");
    for (const json& part : list) {
        const bool whole = part.is_number_unsigned();
        const auto number = whole ? part.get<std::uint64_t>() : 0;
        if (number < 1 || number > static_cast<std::uint64_t>(parts.of) || (!parts.parts.empty() && static_cast<int>(number) <= parts.parts.back()))
            reader.wrong("its list of parts is not ascending or names a part that does not exist");
        parts.parts.push_back(static_cast<int>(number));
    }
    if ((parts.of == 1) != parts.parts.empty() || parts.parts.size() == static_cast<std::size_t>(parts.of))
        reader.wrong("its list of parts is not in its simplest form");
    return parts;
}

/// They follow from the routers, so that they are checked and not believed.
void readPools(const Reader& reader, Counts& counts)
{
    std::vector<Router> routers;
    for (const RouterCounts& router : counts.routers)
        routers.push_back(router.router);
    auto pools = routerPools(routers);
    if (requireList(reader, "pools") != json(pools))
        reader.wrong("its list of pools is not that of its routers");
    for (auto& members : pools)
        counts.pooled.push_back({std::move(members), {}});
}

} // namespace

std::map<std::string, std::string> countsMetadata(const Counts& counts)
{
    json streams = json::array();
    for (const StreamCounts& stream : counts.streams)
        streams.push_back(streamJson(stream));
    json routers = json::array();
    for (const RouterCounts& router : counts.routers)
        routers.push_back(routerJson(router.router));
    json joint = json::array();
    for (const JointCounts& pair : counts.joint)
        joint.push_back({pair.source, pair.destination});
    std::map<std::string, std::string> metadata{{"format", std::string(countsFormat)},
            {"version", std::string(countsVersion)},
            {"basis", text(basisJson(counts.basis))},
            {"parts", text({{"of", counts.parts.of}, {"parts", counts.parts.parts}})},
            {"streams", text(streams)},
            {"routers", text(routers)},
            {"joint", text(joint)}};
    if (!counts.pooled.empty()) {
        json pools = json::array();
        for (const PooledCounts& pool : counts.pooled)
            pools.push_back(pool.members);
        metadata["pools"] = text(pools);
    }
    return metadata;
}

Counts countsFromMetadata(const std::map<std::string, std::string>& metadata, const std::function<void(std::string_view)>& fail)
{
    const Reader reader(metadata, fail);
    const auto format = metadata.find("format");
    if (format == metadata.end() || format->second != countsFormat)
        reader.wrong("it is a safetensors file that holds something else");
    const auto version = metadata.find("version");
    if (version == metadata.end() || version->second != countsVersion)
        reader.wrong(fmt::format("its version is {}, this program reads {}", version == metadata.end() ? "missing" : quotedName(version->second),
                                 countsVersion));
    Counts counts;
    counts.basis = readBasis(reader);
    counts.parts = readParts(reader);
    for (const json& stream : requireList(reader, "streams"))
        counts.streams.push_back(readStream(reader, stream));
    if (counts.streams.empty())
        reader.wrong("it has no stream");
    for (const json& router : requireList(reader, "routers")) {
        counts.routers.emplace_back();
        counts.routers.back().router = readRouter(reader, router, counts.streams.size());
        for (std::size_t earlier = 0; earlier + 1 < counts.routers.size(); ++earlier)
            if (counts.routers[earlier].router.address == counts.routers.back().router.address)
                reader.wrong(fmt::format("it has {} twice", counts.routers[earlier].router.address.toString()));
    }
    for (const json& pair : requireList(reader, "joint")) {
        const bool valid = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned()
                           && pair[0].get<std::uint64_t>() < counts.routers.size() && pair[1].get<std::uint64_t>() < counts.routers.size();
        if (!valid)
            reader.wrong("its list of joint counts names a router that does not exist");
        counts.joint.push_back({pair[0].get<std::uint32_t>(), pair[1].get<std::uint32_t>(), {}});
    }
    if (metadata.contains("pools"))
        readPools(reader, counts);
    return counts;
}

} // namespace headscope::core
