// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace headscope::core {
namespace {

constexpr std::size_t kLongestClassName = 256;
constexpr std::size_t kArgumentsLookedAt = 3; // copyreg._reconstructor(class, dict, content)

/// Whether calling this name with a class as first argument just makes an instance of that class.
bool makesInstance(std::string_view name)
{
    return name == "copyreg._reconstructor" || name == "copy_reg._reconstructor" || name == "copyreg.__newobj__" ||
           name == "copyreg.__newobj_ex__";
}

} // namespace

PickleEntries::Entry PickleEntries::Iterator::operator*() const
{
    const Part& part = m_entries->m_parts[m_part];
    if (!part.pairs)
        return {part.ids[m_at], part.ids[m_at + 1]};
    const std::span<const PickleId> pair = m_entries->m_document->itemsOf(part.ids[m_at]);
    return {pair[0], pair[1]};
}

PickleEntries::Iterator& PickleEntries::Iterator::operator++()
{
    m_at += m_entries->m_parts[m_part].pairs ? 1 : 2;
    settle();
    return *this;
}

void PickleEntries::Iterator::settle()
{
    for (; m_part < m_entries->m_parts.size(); ++m_part, m_at = 0) {
        const Part& part = m_entries->m_parts[m_part];
        for (; m_at < part.ids.size(); ++m_at) {
            m_entries->m_document->count(1);
            if (!part.pairs || m_entries->m_document->itemsOf(part.ids[m_at]).size() == 2)
                return;
        }
    }
    m_at = 0;
}

PickleDocument::PickleDocument() : PickleDocument(nullptr) {}

PickleDocument::PickleDocument(std::shared_ptr<const std::vector<std::byte>> bytes, Progress progress)
    : m_bytes(std::move(bytes)), m_progress(std::move(progress))
{
    static_assert(sizeof(Kind) == 1);
    static_assert(sizeof(Payload) == 8);
    add(PickleKind::None, 0, 0); // the values of which one is enough: PickleMachine::Shared
    add(PickleKind::Bool, 0, 0);
    add(PickleKind::Bool, 1, 0);
    add(PickleKind::Tuple, 0, 0);
}

PickleId PickleDocument::add(PickleKind kind, std::uint32_t a, std::uint32_t b, bool flag)
{
    m_kinds.push_back(Kind{kind, flag});
    m_payloads.push_back(Payload{a, b});
    return PickleId(static_cast<std::uint32_t>(m_kinds.size() - 1));
}

std::string_view PickleDocument::view(PickleId id) const
{
    const Payload place = m_payloads[index(id)];
    if (m_kinds[index(id)].flag)
        return std::string_view(m_decoded).substr(place.a, place.b);
    return {reinterpret_cast<const char*>(m_bytes->data()) + place.a, place.b};
}

std::optional<bool> PickleDocument::boolean(PickleId id) const
{
    return kind(id) == PickleKind::Bool ? std::optional(m_payloads[index(id)].a != 0) : std::nullopt;
}

std::optional<std::int64_t> PickleDocument::integer(PickleId id) const
{
    return kind(id) == PickleKind::Integer ? std::optional(static_cast<std::int64_t>(wide(id))) : std::nullopt;
}

std::optional<double> PickleDocument::real(PickleId id) const
{
    return kind(id) == PickleKind::Real ? std::optional(std::bit_cast<double>(wide(id))) : std::nullopt;
}

std::optional<std::string_view> PickleDocument::text(PickleId id) const
{
    return kind(id) == PickleKind::Text ? std::optional(view(id)) : std::nullopt;
}

std::optional<std::string_view> PickleDocument::bytes(PickleId id) const
{
    return kind(id) == PickleKind::Bytes ? std::optional(view(id)) : std::nullopt;
}

std::optional<PickleId> PickleDocument::persistent(PickleId id) const
{
    return kind(id) == PickleKind::Persistent ? std::optional(PickleId(m_payloads[index(id)].a)) : std::nullopt;
}

const PickleDocument::Parts* PickleDocument::partsOf(PickleId id) const
{
    return isObject(id) && m_kinds[index(id)].flag ? &m_parts[m_payloads[index(id)].a] : nullptr;
}

PickleDocument::Parts& PickleDocument::partsFor(PickleId id)
{
    Payload& payload = m_payloads[index(id)];
    if (!m_kinds[index(id)].flag) {
        m_parts.push_back({PickleId(payload.a), PickleId(payload.b), std::nullopt, std::nullopt, std::nullopt});
        payload = {static_cast<std::uint32_t>(m_parts.size() - 1), 0};
        m_kinds[index(id)].flag = true;
    }
    return m_parts[payload.a];
}

PickleId PickleDocument::callableOf(PickleId object) const
{
    const Parts* parts = partsOf(object);
    return parts != nullptr ? parts->callable : PickleId(m_payloads[index(object)].a);
}

PickleId PickleDocument::argumentsOf(PickleId object) const
{
    const Parts* parts = partsOf(object);
    return parts != nullptr ? parts->args : PickleId(m_payloads[index(object)].b);
}

std::optional<PickleId> PickleDocument::stateOf(PickleId object) const
{
    const Parts* parts = partsOf(object);
    return parts != nullptr ? parts->state : std::nullopt;
}

std::span<const PickleId> PickleDocument::appendedTo(PickleId object) const
{
    const Parts* parts = partsOf(object);
    return parts != nullptr && parts->items ? itemsOf(*parts->items) : std::span<const PickleId>();
}

std::string PickleDocument::className(PickleId id) const
{
    for (int step = 0; step < 4; ++step) { // the result of a result of …: not worth following further
        if (kind(id) == PickleKind::Class) {
            const Payload names = m_payloads[index(id)];
            const std::string_view module = view(PickleId(names.a)).substr(0, kLongestClassName);
            const std::string_view name = view(PickleId(names.b)).substr(0, kLongestClassName);
            return fmt::format("{}.{}", module == "__builtin__" ? "builtins" : module, name); // Python 2's name of it
        }
        if (!isObject(id))
            return {};
        const std::span<const PickleId> args = itemsOf(argumentsOf(id));
        id = callableOf(id);
        if (kind(id) == PickleKind::Class && !args.empty() && makesInstance(className(id)))
            id = args.front();
    }
    return {};
}

std::span<const PickleId> PickleDocument::itemsOf(PickleId id) const
{
    const PickleKind own = kind(id);
    if (own != PickleKind::Tuple && own != PickleKind::List && own != PickleKind::Set)
        return {};
    return m_items[piece(id)];
}

bool PickleDocument::isDictLike(PickleId id) const
{
    if (kind(id) == PickleKind::Dict)
        return true;
    if (!isObject(id))
        return false;
    if (const Parts* parts = partsOf(id); parts != nullptr && parts->entries)
        return true;
    const std::string name = className(id);
    return name == "collections.OrderedDict" || name == "collections.defaultdict" || name == "collections.Counter" ||
           name == "builtins.dict";
}

std::array<std::optional<PickleId>, 2> PickleDocument::contentsOf(PickleId id) const
{
    if (kind(id) == PickleKind::Dict)
        return {id, std::nullopt};
    if (!isDictLike(id))
        return {};
    std::optional<PickleId> dict; // Counter({…}), defaultdict(factory, {…}), OrderedDict([[key, value], …])
    std::optional<PickleId> list;
    const std::span<const PickleId> args = itemsOf(argumentsOf(id));
    for (const PickleId argument : args.first(std::min(args.size(), kArgumentsLookedAt))) {
        if (!dict && kind(argument) == PickleKind::Dict)
            dict = argument;
        else if (!list && (kind(argument) == PickleKind::List || kind(argument) == PickleKind::Tuple))
            list = argument;
    }
    const Parts* parts = partsOf(id);
    return {dict ? dict : list, parts != nullptr ? parts->entries : std::nullopt};
}

PickleEntries PickleDocument::entriesOfContent(PickleId content) const
{
    const bool dict = kind(content) == PickleKind::Dict;
    return {*this, {PickleEntries::Part{dict ? m_items[piece(content)] : itemsOf(content), !dict}, {}}};
}

PickleEntries PickleDocument::entriesOf(PickleId id) const
{
    std::array<PickleEntries::Part, 2> parts;
    const auto contents = contentsOf(id);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!contents[i])
            continue;
        const bool dict = kind(*contents[i]) == PickleKind::Dict;
        parts[i] = {dict ? m_items[piece(*contents[i])] : itemsOf(*contents[i]), !dict};
    }
    return {*this, parts};
}

PickleEntries PickleDocument::attributesOf(PickleId id) const
{
    const std::optional<PickleId> state = isObject(id) ? stateOf(id) : std::nullopt;
    std::array<PickleEntries::Part, 2> parts;
    if (state && kind(*state) == PickleKind::Dict) {
        parts[0].ids = m_items[piece(*state)];
    } else if (state && kind(*state) == PickleKind::Tuple) {
        const std::span<const PickleId> pair = itemsOf(*state);
        for (std::size_t i = 0; i < std::min(pair.size(), parts.size()); ++i) {
            if (kind(pair[i]) == PickleKind::Dict)
                parts[i].ids = m_items[piece(pair[i])];
        }
    }
    return {*this, parts};
}

std::optional<PickleId> PickleDocument::find(PickleId dict, std::string_view key) const
{
    std::optional<PickleId> found; // the last one wins, as in Python
    for (const auto& [name, value] : entriesOf(dict)) {
        if (text(name) == key)
            found = value;
    }
    return found;
}

} // namespace headscope::core
