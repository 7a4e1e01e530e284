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
constexpr std::int64_t kMostValues = 20'000;
constexpr std::size_t kLongestClassName = 200;

nlohmann::json opaque(std::string_view className)
{
    return {{"__class__", toUtf8(className.substr(0, kLongestClassName))}};
}

class Converter
{
public:
    Converter(const PickleDocument& document, PickleJsonBudget& budget) : m_document(document), m_budget(budget) {}

    nlohmann::json convert(PickleId id, int depth)
    {
        m_document.count(1);
        if (depth > kDeepest || --m_budget.values < 0)
            return opaque("too large");
        switch (m_document.kind(id)) {
        case PickleKind::None: return nullptr;
        case PickleKind::Bool: return *m_document.boolean(id);
        case PickleKind::Integer: return *m_document.integer(id);
        case PickleKind::Real: return *m_document.real(id);
        case PickleKind::Text: return spend(*m_document.text(id)) ? nlohmann::json(toUtf8(*m_document.text(id))) : opaque("too large");
        case PickleKind::Bytes: return opaque("builtins.bytes");
        case PickleKind::BigInt: return opaque("builtins.int");
        case PickleKind::List:
        case PickleKind::Tuple:
        case PickleKind::Set: return array(id, depth);
        case PickleKind::Dict: return object(m_document.entriesOf(id), depth);
        case PickleKind::Class: return opaque(m_document.className(id));
        case PickleKind::Persistent: return opaque("torch.storage");
        case PickleKind::Object: return called(id, depth);
        }
        return nullptr;
    }

private:
    nlohmann::json called(PickleId id, int depth);

    bool spend(std::string_view text)
    {
        if (static_cast<std::int64_t>(text.size()) > m_budget.textBytes)
            return false;
        m_budget.textBytes -= static_cast<std::int64_t>(text.size());
        return true;
    }

    nlohmann::json array(PickleId id, int depth)
    {
        nlohmann::json result = nlohmann::json::array();
        for (const PickleId item : m_document.itemsOf(id)) {
            if (m_budget.values < 0)
                break;
            result.push_back(convert(item, depth + 1));
        }
        return result;
    }

    nlohmann::json object(const PickleEntries& entries, int depth)
    {
        nlohmann::json result = nlohmann::json::object();
        for (const auto& [key, value] : entries) {
            if (m_budget.values < 0)
                break;
            const auto name = m_document.text(key);
            const auto number = m_document.integer(key);
            if (name && spend(*name))
                result[toUtf8(*name)] = convert(value, depth + 1);
            else if (number)
                result[std::to_string(*number)] = convert(value, depth + 1);
            else
                --m_budget.values; // left out, but looked at
        }
        return result;
    }

    /// Of OmegaConf: containers keep their children in _content, leaves their value in _val.
    std::optional<PickleId> wrapped(PickleId id)
    {
        for (const auto& [key, value] : m_document.attributesOf(id)) {
            if (m_document.text(key) == "_content" || m_document.text(key) == "_val")
                return value;
            if (--m_budget.values < 0)
                break;
        }
        return std::nullopt;
    }

    const PickleDocument& m_document;
    PickleJsonBudget& m_budget;
};

nlohmann::json Converter::called(PickleId id, int depth)
{
    constexpr std::array bags = {std::string_view("argparse.Namespace"), std::string_view("types.SimpleNamespace")};
    const std::string name = m_document.className(id);
    if (m_document.isDictLike(id))
        return object(m_document.entriesOf(id), depth);
    if (std::ranges::find(bags, name) != bags.end())
        return object(m_document.attributesOf(id), depth);
    if (name.starts_with("omegaconf.")) {
        if (const std::optional<PickleId> inner = wrapped(id))
            return convert(*inner, depth + 1);
    }
    if (name == "builtins.set" || name == "builtins.frozenset") {
        const std::span<const PickleId> args = m_document.itemsOf(m_document.argumentsOf(id));
        return args.empty() ? nlohmann::json::array() : convert(args.front(), depth + 1);
    }
    return opaque(name.empty() ? "object" : name);
}

} // namespace

PickleJsonBudget::PickleJsonBudget(const PickleDocument& document)
{
    constexpr std::int64_t small = 1000; // short pickles may share as they like
    const auto bytes = static_cast<std::int64_t>(document.byteCount());
    values = std::min(kMostValues, 4 * bytes + small);
    textBytes = std::min<std::int64_t>(1 << 20, 2 * bytes) + small;
}

nlohmann::json pickleToJson(const PickleDocument& document, PickleId id, PickleJsonBudget& budget)
{
    return Converter(document, budget).convert(id, 0);
}

nlohmann::json pickleToJson(const PickleDocument& document, PickleId id)
{
    PickleJsonBudget budget(document);
    return pickleToJson(document, id, budget);
}

} // namespace headscope::core
