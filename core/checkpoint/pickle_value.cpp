// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_value.h"

namespace headscope::core {
namespace {

/// Whether calling this name with a class as first argument just makes an instance of that class.
bool makesInstance(std::string_view name)
{
    return name == "copyreg._reconstructor" || name == "copy_reg._reconstructor" || name == "copyreg.__newobj__" ||
           name == "copyreg.__newobj_ex__";
}

/// [[key, value], …] as pairs, in which old files hand an OrderedDict its content.
void appendPairs(const PickleDocument& document, PickleId list, PickleEntries& entries)
{
    for (const PickleId item : document.itemsOf(list)) {
        const std::vector<PickleId>& pair = document.itemsOf(item);
        if (pair.size() == 2)
            entries.emplace_back(pair[0], pair[1]);
    }
}

void append(PickleEntries& entries, const PickleEntries& more)
{
    entries.insert(entries.end(), more.begin(), more.end());
}

} // namespace

std::string_view PickleDocument::className(PickleId id) const
{
    for (int step = 0; step < 4; ++step) { // the result of a result of …: not worth following further
        if (const auto* cls = get<PickleClass>(id))
            return cls->name;
        const auto* object = get<PickleObject>(id);
        if (object == nullptr)
            return {};
        id = object->callable;
        const auto* callable = get<PickleClass>(id);
        if (callable != nullptr && makesInstance(callable->name) && !itemsOf(object->args).empty())
            id = itemsOf(object->args).front();
    }
    return {};
}

const std::vector<PickleId>& PickleDocument::itemsOf(PickleId id) const
{
    static const std::vector<PickleId> none;
    if (const auto* tuple = get<PickleTuple>(id))
        return tuple->items;
    if (const auto* list = get<PickleList>(id))
        return list->items;
    return none;
}

bool PickleDocument::isDictLike(PickleId id) const
{
    if (get<PickleDict>(id) != nullptr)
        return true;
    const auto* object = get<PickleObject>(id);
    if (object == nullptr)
        return false;
    const std::string_view name = className(id);
    return !object->entries.empty() || name == "collections.OrderedDict" || name == "collections.defaultdict" ||
           name == "collections.Counter" || name == "builtins.dict";
}

PickleEntries PickleDocument::entriesOf(PickleId id) const
{
    if (const auto* dict = get<PickleDict>(id))
        return dict->entries;
    const auto* object = get<PickleObject>(id);
    if (object == nullptr || !isDictLike(id))
        return {};
    PickleEntries entries;
    for (const PickleId argument : itemsOf(object->args)) {
        if (const auto* dict = get<PickleDict>(argument)) // Counter({…})
            append(entries, dict->entries);
        else
            appendPairs(*this, argument, entries);
    }
    append(entries, object->entries);
    return entries;
}

PickleEntries PickleDocument::attributesOf(PickleId id) const
{
    const auto* object = get<PickleObject>(id);
    if (object == nullptr || !object->state)
        return {};
    if (const auto* dict = get<PickleDict>(*object->state))
        return dict->entries;
    PickleEntries entries;
    if (get<PickleTuple>(*object->state) != nullptr) {
        for (const PickleId part : itemsOf(*object->state)) {
            if (const auto* dict = get<PickleDict>(part))
                append(entries, dict->entries);
        }
    }
    return entries;
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

std::optional<std::string_view> PickleDocument::text(PickleId id) const
{
    const auto* value = get<std::string_view>(id);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::int64_t> PickleDocument::integer(PickleId id) const
{
    const auto* value = get<std::int64_t>(id);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

} // namespace headscope::core
