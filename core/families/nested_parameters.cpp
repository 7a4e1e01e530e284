// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/nested_parameters.h"

#include "core/checkpoint/hyper_parameters.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"
#include "core/families/argument_values.h"
#include "core/families/parameter_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace headscope::core {
namespace {

constexpr int deepest = 8;

enum class Known { No, Training, Model };

/// What a key is to any family.
Known knownAs(std::string_view key)
{
    static const auto names = [] {
        std::map<std::string_view, Known> all;
        for (const auto* table : parameterTables())
            for (const auto& row : table->keys)
                if (auto& known = all[row.name]; known != Known::Model)
                    known = row.kind == KeyClass::Training ? Known::Training : Known::Model;
        return all;
    }();
    const auto found = names.find(key);
    return found == names.end() ? Known::No : found->second;
}

/// Of a value: also what belongs to a group that only training knows ("kvmem.*").
Known valueKnownAs(const std::string& key)
{
    if (const auto known = knownAs(key); known != Known::No)
        return known;
    const auto tables = parameterTables();
    const bool grouped = std::any_of(tables.begin(), tables.end(), [&key](const auto* table) { return table->knows(key); });
    return grouped ? Known::Training : Known::No;
}

struct Leaf {
    std::string key;
    nlohmann::json value;
    Known known = Known::No;
};

/// A path's parts from one of them on: {"args", "moe", "k"} from 1 is "moe.k".
std::string joined(const std::vector<std::string>& path, std::size_t from)
{
    return fmt::format("{}", fmt::join(path.begin() + static_cast<std::ptrdiff_t>(from), path.end(), "."));
}

/// The values below an object. A value's key is the longest end of its path that a table knows, else the path below the
/// object.
void collect(const nlohmann::json& object, std::vector<std::string>& path, std::vector<Leaf>& leaves)
{
    for (const auto& [name, value] : object.items()) {
        path.push_back(name);
        Leaf leaf{joined(path, 1), nullptr};
        for (std::size_t from = 0; from < path.size() && leaf.known == Known::No; ++from) {
            auto key = joined(path, from);
            if (leaf.known = valueKnownAs(key); leaf.known != Known::No)
                leaf.key = std::move(key);
        }
        if (value.is_object() && leaf.known == Known::No && static_cast<int>(path.size()) < deepest) {
            collect(value, path, leaves);
        } else {
            leaf.value = value;
            leaves.push_back(std::move(leaf));
        }
        path.pop_back();
    }
}

/// What lies below one member of a place; empty where no hyper-parameter of a model does.
std::vector<Leaf> nestedIn(const std::string& name, const nlohmann::json& value)
{
    if (!value.is_object() || knownAs(name) != Known::No)
        return {};
    std::vector<std::string> path{name};
    std::vector<Leaf> leaves;
    collect(value, path, leaves);
    const bool ofModel =
        std::any_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) { return leaf.known == Known::Model; });
    return ofModel ? leaves : std::vector<Leaf>();
}

void put(nlohmann::json& values, const Leaf& leaf, const Checkpoint& checkpoint, const std::string& place)
{
    const auto [there, fresh] = values.emplace(leaf.key, leaf.value);
    if (!fresh && *there != leaf.value)
        throw Error(fmt::format("{}: {} is {} at one place of {} and {} at another; leave one.", shown(checkpoint.path),
                                leaf.key, printedValue(*there), place, printedValue(leaf.value)));
}

std::string noteAbout(const std::string& place, const std::string& name)
{
    return fmt::format("Hyper-parameters were found below {} in {}.", quotedName(name), place);
}

void bringUp(Checkpoint& checkpoint, ParameterSource& source)
{
    const auto before = source.values;
    for (const auto& [name, value] : before.items()) {
        const auto leaves = nestedIn(name, value);
        if (leaves.empty())
            continue;
        source.values.erase(name);
        for (const auto& leaf : leaves)
            put(source.values, leaf, checkpoint, source.name);
        checkpoint.notes.push_back(noteAbout(source.name, name));
    }
}

/// Where other trainers keep them: beside the state dict. They come before what lies beside the file.
void addFromExtras(Checkpoint& checkpoint)
{
    std::vector<ParameterSource> found;
    for (const auto& [name, value] : checkpoint.extras.items()) {
        const auto leaves = nestedIn(name, value);
        if (leaves.empty())
            continue;
        ParameterSource source{fmt::format("{} in the file", quotedName(name)), nlohmann::json::object()};
        for (const auto& leaf : leaves)
            put(source.values, leaf, checkpoint, source.name);
        found.push_back(std::move(source));
        checkpoint.notes.push_back(noteAbout("the file", name));
    }
    auto& sources = checkpoint.parameterSources;
    const auto outside = std::find_if(sources.begin(), sources.end(), [](const ParameterSource& source) {
        return source.author == ParameterSource::Author::Training && !source.path.empty();
    });
    sources.insert(outside, found.begin(), found.end());
}

} // namespace

void bringNestedParametersUp(Checkpoint& checkpoint)
{
    for (auto& source : checkpoint.parameterSources)
        bringUp(checkpoint, source);
    // "run_invariants" without "args" matters only where it holds some after all.
    std::erase_if(checkpoint.parameterSources, [](const ParameterSource& source) {
        const auto items = source.values.items();
        return source.name == "run_invariants" && std::none_of(items.begin(), items.end(), [](const auto& item) {
                   return knownAs(item.key()) == Known::Model;
               });
    });
    addFromExtras(checkpoint);
    mergeParameterSources(checkpoint);
}

} // namespace headscope::core
