// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/parameter_table.h"

#include "core/families/argument_values.h"
#include "core/families/moe_attention/keys.h"
#include "core/families/package_keys.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace headscope::core {
namespace {

/// The parts of a text between separators, without the spaces around them.
std::vector<std::string_view> parts(std::string_view text, std::string_view separators)
{
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const auto end = text.find_first_of(separators);
        auto part = text.substr(0, end);
        part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
        part.remove_suffix(part.size() - std::min(part.find_last_not_of(' ') + 1, part.size()));
        if (!part.empty())
            result.push_back(part);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return result;
}

bool matches(std::string_view pattern, std::string_view key)
{
    return pattern.ends_with('*') ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == key;
}

/// Insertions, deletions and substitutions that make one of the other.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

std::string_view lastPart(std::string_view key)
{
    return key.substr(key.find_last_of('.') + 1);
}

} // namespace

std::string_view toString(KeyClass kind)
{
    switch (kind) {
    case KeyClass::Cut: return "confirmed, refused otherwise";
    case KeyClass::Settled: return "confirmed, the tensors are followed";
    case KeyClass::Free: return "free";
    case KeyClass::Texts: return "free, of texts";
    case KeyClass::Inactive: return "inactive";
    case KeyClass::Training: break;
    }
    return "training only";
}

bool holds(std::string_view condition, const Traits& traits)
{
    const auto one = [&traits](std::string_view word) {
        return word == "always" || (word.starts_with('!') ? !traits.contains(word.substr(1)) : traits.contains(word));
    };
    const auto all = parts(condition, " ");
    return std::all_of(all.begin(), all.end(), [&](std::string_view word) {
        const auto either = parts(word, "|");
        return std::any_of(either.begin(), either.end(), one);
    });
}

bool ParameterTable::knows(std::string_view key) const
{
    return std::any_of(keys.begin(), keys.end(), [key](const ParameterKey& row) { return matches(row.name, key); });
}

const ParameterKey* ParameterTable::row(std::string_view key, const Traits& traitsOfModel) const
{
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const ParameterKey& row) {
        return matches(row.name, key) && holds(row.acts, traitsOfModel);
    });
    return found == keys.end() ? nullptr : &*found;
}

KeyClass ParameterTable::classOf(std::string_view key, const Traits& traitsOfModel) const
{
    const auto* found = row(key, traitsOfModel);
    return found ? found->kind : KeyClass::Inactive;
}

std::string_view ParameterTable::fallback(std::string_view key) const
{
    const auto found =
        std::find_if(keys.begin(), keys.end(), [key](const ParameterKey& row) { return matches(row.name, key); });
    return found == keys.end() ? std::string_view() : found->fallback;
}

std::string_view ParameterTable::nearest(std::string_view key) const
{
    std::string_view best;
    auto least = std::max<std::size_t>(3, key.size() / 3) + 1;
    for (const auto& row : keys) {
        if (row.kind == KeyClass::Training || row.name.ends_with('*'))
            continue;
        // "n_heads" is meant for "transformer.n_heads"
        const auto distance = lastPart(row.name) == lastPart(key) ? std::size_t{1} : editDistance(row.name, key);
        if (distance < least) {
            least = distance;
            best = row.name;
        }
    }
    return best;
}

bool ParameterTable::ignores(std::string_view tensor) const
{
    const auto names = parts(tensor, ".");
    return std::any_of(ignored.begin(), ignored.end(), [&](const IgnoredTensor& known) {
        const auto wanted = parts(known.name, ".");
        return std::equal(wanted.begin(), wanted.end(), names.begin(), names.end(),
                          [](std::string_view pattern, std::string_view part) { return pattern == "*" || pattern == part; });
    });
}

std::span<const ParameterTable* const> parameterTables()
{
    static constexpr std::array<const ParameterTable*, 4> list{&moe_attention::trainingTable, &moe_attention::universalTable,
                                                               &moeutPackageTable, &switchheadPackageTable};
    return list;
}

std::vector<std::int64_t> shapeOf(const Checkpoint& checkpoint, std::string_view name)
{
    const auto* tensor = checkpoint.find(name);
    return tensor ? tensor->shape : std::vector<std::int64_t>();
}

bool sameValue(const nlohmann::json& value, std::string_view word)
{
    if (isNone(value) || word == "none")
        return isNone(value) && word == "none";
    const auto wanted = asNumber(nlohmann::json(std::string(word)));
    const auto given = asNumber(value);
    if (wanted && given)
        return *wanted == *given;
    return value.is_string() && value.get_ref<const std::string&>() == word;
}

std::vector<std::string> wordsOf(std::string_view words)
{
    const auto all = parts(words, ",=");
    return {all.begin(), all.end()};
}

} // namespace headscope::core
