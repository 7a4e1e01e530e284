// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_json.h"

#include "core/checkpoint/message_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace headscope::core {
namespace {

constexpr int kDeepest = 16;
constexpr int kMostValues = 20'000; // values that share parts can be exponentially larger than their pickle

nlohmann::json opaque(std::string_view className)
{
    return {{"__class__", toUtf8(className.substr(0, 200))}};
}

class Converter
{
public:
    explicit Converter(const PickleDocument& document) : m_document(document) {}

    nlohmann::json convert(PickleId id, int depth)
    {
        if (depth > kDeepest || ++m_count > kMostValues)
            return opaque("too large");
        return std::visit([&](const auto& value) { return plain(value, id, depth); }, m_document[id]);
    }

private:
    nlohmann::json plain(const PickleNone&, PickleId, int) { return nullptr; }
    nlohmann::json plain(bool value, PickleId, int) { return value; }
    nlohmann::json plain(std::int64_t value, PickleId, int) { return value; }
    nlohmann::json plain(double value, PickleId, int) { return value; }
    nlohmann::json plain(std::string_view value, PickleId, int) { return toUtf8(value); }
    nlohmann::json plain(const PickleBytes&, PickleId, int) { return opaque("builtins.bytes"); }
    nlohmann::json plain(const PickleBigInt&, PickleId, int) { return opaque("builtins.int"); }
    nlohmann::json plain(const PickleList& list, PickleId, int depth) { return array(list.items, depth); }
    nlohmann::json plain(const PickleTuple& tuple, PickleId, int depth) { return array(tuple.items, depth); }
    nlohmann::json plain(const PickleSet& set, PickleId, int depth) { return array(set.items, depth); }
    nlohmann::json plain(const PickleDict& dict, PickleId, int depth) { return object(dict.entries, depth); }
    nlohmann::json plain(const PickleClass& cls, PickleId, int) { return opaque(cls.name); }
    nlohmann::json plain(const PicklePersistent&, PickleId, int) { return opaque("torch.storage"); }
    nlohmann::json plain(const PickleObject& value, PickleId id, int depth);

    nlohmann::json array(const std::vector<PickleId>& items, int depth)
    {
        nlohmann::json result = nlohmann::json::array();
        for (const PickleId item : items) {
            if (m_count > kMostValues)
                break;
            result.push_back(convert(item, depth + 1));
        }
        return result;
    }

    nlohmann::json object(const PickleEntries& entries, int depth)
    {
        nlohmann::json result = nlohmann::json::object();
        for (const auto& [key, value] : entries) {
            if (m_count > kMostValues)
                break;
            if (const auto name = m_document.text(key))
                result[toUtf8(*name)] = convert(value, depth + 1);
            else if (const auto number = m_document.integer(key))
                result[std::to_string(*number)] = convert(value, depth + 1);
        }
        return result;
    }

    /// Of OmegaConf: containers keep their children in _content, leaves their value in _val.
    std::optional<PickleId> wrapped(PickleId id) const
    {
        for (const auto& [key, value] : m_document.attributesOf(id)) {
            if (m_document.text(key) == "_content" || m_document.text(key) == "_val")
                return value;
        }
        return std::nullopt;
    }

    const PickleDocument& m_document;
    int m_count = 0;
};

nlohmann::json Converter::plain(const PickleObject& value, PickleId id, int depth)
{
    constexpr std::array bags = {std::string_view("argparse.Namespace"), std::string_view("types.SimpleNamespace")};
    const std::string_view name = m_document.className(id);
    if (m_document.isDictLike(id))
        return object(m_document.entriesOf(id), depth);
    if (std::ranges::find(bags, name) != bags.end())
        return object(m_document.attributesOf(id), depth);
    if (name.starts_with("omegaconf.")) {
        if (const std::optional<PickleId> inner = wrapped(id))
            return convert(*inner, depth + 1);
    }
    if (name == "builtins.set" || name == "builtins.frozenset") {
        const std::vector<PickleId>& args = m_document.itemsOf(value.args);
        return args.empty() ? nlohmann::json::array() : convert(args.front(), depth + 1);
    }
    return opaque(name.empty() ? "object" : name);
}

} // namespace

nlohmann::json pickleToJson(const PickleDocument& document, PickleId id)
{
    return Converter(document).convert(id, 0);
}

} // namespace headscope::core
