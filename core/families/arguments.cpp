// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/arguments.h"

#include "core/checkpoint/message_text.h"
#include "core/error.h"
#include "core/families/argument_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace headscope::core {
namespace {

constexpr std::string_view fromDefault = "default of the training code";
constexpr std::string_view fromShapes = "shapes";

double defaultNumber(const ParameterTable& table, std::string_view key)
{
    const auto number = asNumber(nlohmann::json(std::string(table.fallback(key))));
    if (!number)
        throw std::logic_error(fmt::format("{} has no number as its default in the table of {}", key, table.family));
    return *number;
}

/// The first few of many names, for a sentence.
std::string listed(const std::vector<std::string>& names)
{
    constexpr std::size_t most = 12;
    const std::vector<std::string> first(names.begin(),
                                         names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
    return fmt::format("{}{}", fmt::join(first, ", "), names.size() > most ? ", …" : "");
}

} // namespace

Arguments::Arguments(const Checkpoint& checkpoint, const ParameterTable& table)
    : m_table(table), m_sources(checkpoint.parameterSources),
      m_values(checkpoint.hyperParameters.is_object() ? checkpoint.hyperParameters : nlohmann::json::object()),
      m_file(shown(checkpoint.path))
{
    refuseUnknownKeys();
    m_traits = table.traits(checkpoint, *this);
}

const nlohmann::json* Arguments::find(std::string_view key) const
{
    if (!m_table.knows(key)) // code that two families share may ask for what one of them has not
        return nullptr;
    const auto found = m_values.find(std::string(key));
    return found == m_values.end() || isNone(*found) ? nullptr : &*found;
}

std::string Arguments::sourceOf(std::string_view key) const
{
    const auto holder = std::find_if(m_sources.begin(), m_sources.end(),
                                     [&](const auto& source) { return source.values.contains(std::string(key)); });
    return holder == m_sources.end() ? std::string() : holder->name;
}

std::string Arguments::said(std::string_view key) const
{
    const auto value = m_values.find(std::string(key));
    if (value == m_values.end())
        return fmt::format("{} is not given", key);
    return fmt::format("{} is {} in {}", key, printedValue(*value), sourceOf(key));
}

std::optional<double> Arguments::number(std::string_view key) const
{
    const auto* value = find(key);
    if (!value)
        return std::nullopt;
    const auto parsed = asNumber(*value);
    if (!parsed || !std::isfinite(*parsed))
        contradiction(fmt::format("{} should be a number but is {} (in {}).", key, printedValue(*value), sourceOf(key)));
    return parsed;
}

std::optional<std::int64_t> Arguments::integer(std::string_view key) const
{
    const auto value = number(key);
    if (!value)
        return std::nullopt;
    if (*value != std::floor(*value) || std::abs(*value) > 1e15)
        contradiction(fmt::format("{} should be a whole number but is {} (in {}).", key, *value, sourceOf(key)));
    return static_cast<std::int64_t>(*value);
}

std::optional<std::string> Arguments::text(std::string_view key) const
{
    const auto* value = find(key);
    if (!value)
        return std::nullopt;
    if (!value->is_string())
        contradiction(fmt::format("{} should be a word but is {} (in {}).", key, printedValue(*value), sourceOf(key)));
    return value->get<std::string>();
}

bool Arguments::missing(std::string_view key) const
{
    const auto* row = m_table.row(key, m_traits);
    return row && !row->must.empty() && holds(row->must, m_traits) && !given(key);
}

const nlohmann::json* Arguments::valueInUse(std::string_view key)
{
    if (const auto* value = find(key))
        return value;
    refuseNone(key);
    if (missing(key))
        contradiction(fmt::format("{}, and the tensors do not tell it.", said(key)));
    return nullptr;
}

void Arguments::refuseNone(std::string_view key) const
{
    const auto given = m_values.find(std::string(key));
    if (given != m_values.end() && isNone(*given) && m_table.fallback(key) != "none")
        contradiction(fmt::format("{}, but it has to have a value.", said(key)));
}

void Arguments::remember(std::string_view key, std::string value)
{
    const auto known = [key](const Setting& setting) { return setting.name == key; };
    if (std::any_of(m_settings.begin(), m_settings.end(), known))
        return;
    Setting setting{std::string(key), std::move(value), sourceOf(key)};
    const auto kind = classOf(key);
    setting.unconfirmed = kind == KeyClass::Free || kind == KeyClass::Texts;
    if (setting.source.empty())
        setting.source = fromDefault;
    bool counts = true;
    for (const auto& source : m_sources) {
        const auto other = source.values.find(std::string(key));
        if (other == source.values.end() || std::exchange(counts, false))
            continue;
        if (!sameValue(*other, setting.value))
            setting.overrode +=
                fmt::format("{}{} in {}", setting.overrode.empty() ? "" : ", ", printedValue(*other), source.name);
    }
    m_settings.push_back(std::move(setting));
}

bool Arguments::inactive(std::string_view key)
{
    if (classOf(key) != KeyClass::Inactive)
        return false;
    mention(key);
    return true;
}

std::int64_t Arguments::integerInUse(std::string_view key)
{
    if (inactive(key)) { // whatever it says: nothing depends on it
        const auto given = find(key) ? asNumber(*find(key)) : std::nullopt;
        return static_cast<std::int64_t>(std::clamp(given.value_or(defaultNumber(m_table, key)), -1e15, 1e15));
    }
    const auto value = valueInUse(key) ? *integer(key) : static_cast<std::int64_t>(defaultNumber(m_table, key));
    remember(key, std::to_string(value));
    return value;
}

double Arguments::numberInUse(std::string_view key)
{
    if (inactive(key))
        return defaultNumber(m_table, key);
    const auto value = valueInUse(key) ? *number(key) : defaultNumber(m_table, key);
    remember(key, fmt::format("{}", value));
    return value;
}

std::string Arguments::textInUse(std::string_view key)
{
    if (inactive(key))
        return std::string(m_table.fallback(key));
    auto value = valueInUse(key) ? *text(key) : std::string(m_table.fallback(key));
    remember(key, value);
    return value;
}

bool Arguments::flagInUse(std::string_view key)
{
    const auto value = integerInUse(key);
    if (value != 0 && value != 1 && classOf(key) != KeyClass::Inactive)
        contradiction(fmt::format("{}, but it is either 0 or 1.", said(key)));
    return value == 1;
}

std::optional<std::int64_t> Arguments::optionInUse(std::string_view key)
{
    const auto value = integer(key);
    if (value)
        remember(key, std::to_string(*value));
    return value;
}

void Arguments::mention(std::string_view key)
{
    const auto* value = find(key);
    remember(key, value ? printedValue(*value) : std::string(m_table.fallback(key)));
}

std::int64_t Arguments::integer(std::string_view key, std::int64_t fallback)
{
    // A key that may be none is asked for with a fallback where it is given.
    if (m_table.fallback(key) != "none" && !sameValue(nlohmann::json(fallback), m_table.fallback(key)))
        throw std::logic_error(fmt::format("{} has another default in the table of {}", key, m_table.family));
    return integerInUse(key);
}

bool Arguments::flag(std::string_view key, bool fallback)
{
    if (!sameValue(nlohmann::json(fallback), m_table.fallback(key)))
        throw std::logic_error(fmt::format("{} has another default in the table of {}", key, m_table.family));
    return flagInUse(key);
}

void Arguments::confirmValue(std::string_view key, const std::string& value, std::string_view where)
{
    const auto known =
        std::find_if(m_settings.begin(), m_settings.end(), [key](const Setting& setting) { return setting.name == key; });
    if (known != m_settings.end() && known->value != value)
        contradiction(
            fmt::format("{} says {} for {}, but other tensors say {}; the file is not a checkpoint of this family.", where,
                        value, key, known->value));
    if (known != m_settings.end())
        return;
    const auto given = m_values.find(std::string(key));
    const bool same = given == m_values.end() || sameValue(*given, value);
    const auto kind = classOf(key);
    if (!same && kind == KeyClass::Cut)
        contradiction(fmt::format("{}, but {} says {}: the hyper-parameters are of another model, or {} should be {}.",
                                  said(key), where, value, key, value));
    remember(key, value);
    if (given == m_values.end() || kind == KeyClass::Settled)
        m_settings.back().source = fromShapes;
    if (!same)
        note(fmt::format("{}, but the tensors' shapes say {}: the shapes are used.", said(key), value));
}

void Arguments::confirm(std::string_view key, std::int64_t value, std::string_view where, std::optional<std::int64_t> none)
{
    if (none && !find(key)) {
        if (*none != value)
            contradiction(
                fmt::format("{}, which stands for {}, but {} says {}; if the other hyper-parameters are right, give {} {}.",
                            said(key), *none, where, value, key, value));
        return;
    }
    confirmValue(key, std::to_string(value), where);
}

void Arguments::confirm(std::string_view key, std::string_view value, std::string_view where)
{
    confirmValue(key, std::string(value), where);
}

void Arguments::refuse(std::string_view key, std::string_view value, std::string_view why) const
{
    contradiction(
        fmt::format("{} is {} (in {}), which Headscope does not support: {}.", key, quotedName(value), sourceOf(key), why));
}

void Arguments::requireGiven(const std::function<MissingParameter(std::string_view key)>& about) const
{
    std::vector<MissingParameter> parameters;
    std::vector<std::string> named;
    for (const auto& row : m_table.keys) {
        if (m_table.row(row.name, m_traits) != &row || !missing(row.name))
            continue;
        parameters.push_back(about(row.name));
        named.push_back(fmt::format("{} ({})", row.name, parameters.back().hint));
    }
    if (parameters.empty())
        return;
    auto sentence =
        fmt::format("the tensors do not tell {}; write them into a headscope.json beside the checkpoint or give --sidecar.",
                    fmt::join(named, ", "));
    if (empty())
        sentence =
            "no hyper-parameters were found (run_invariants.args in the file, args.json or headscope.json beside it): " +
            sentence;
    if (const auto unknown = unknownKeys(); !unknown.empty())
        sentence += fmt::format(" The hyper-parameters that were found hold keys that this family does not know: {}.",
                                listed(unknown));
    throw MissingParameters(fmt::format("{}: {}", m_file, sentence), std::move(parameters));
}

void Arguments::contradiction(std::string_view sentence) const
{
    throw Error(fmt::format("{}: {}", m_file, sentence));
}

void Arguments::refuseUnknownKeys() const
{
    for (const auto& source : m_sources) {
        if (source.author != ParameterSource::Author::User)
            continue;
        for (const auto& [key, value] : source.values.items()) {
            if (m_table.knows(key))
                continue;
            const auto nearest = m_table.nearest(key);
            throw Error(fmt::format("{}: {} is no hyper-parameter of the family {}{}; correct it or take it out.",
                                    source.path.empty() ? m_file : shown(source.path), quotedName(key), m_table.family,
                                    nearest.empty() ? std::string() : fmt::format("; the nearest is {}", nearest)));
        }
    }
}

std::vector<std::string> Arguments::unknownKeys() const
{
    std::vector<std::string> unknown;
    for (const auto& [key, value] : m_values.items()) {
        if (!m_table.knows(key))
            unknown.push_back(quotedName(key));
    }
    return unknown;
}

std::vector<std::string> Arguments::keysWithoutEffect() const
{
    std::vector<std::string> found;
    for (const auto& [key, value] : m_values.items()) {
        if (!m_table.knows(key) || classOf(key) != KeyClass::Inactive)
            continue;
        if (!sameValue(value, m_table.fallback(key)))
            found.push_back(fmt::format("{} ({})", key, printedValue(value)));
    }
    return found;
}

void Arguments::note(std::string sentence)
{
    if (std::find(m_notes.begin(), m_notes.end(), sentence) == m_notes.end())
        m_notes.push_back(std::move(sentence));
}

std::vector<std::string> Arguments::notes() const
{
    auto all = m_notes;
    if (const auto found = keysWithoutEffect(); !found.empty())
        all.push_back(fmt::format("Hyper-parameters without effect in this model: {}.", listed(found)));
    if (const auto unknown = unknownKeys(); !unknown.empty())
        all.push_back(fmt::format("Hyper-parameters that Headscope does not know for this family, and does not use: {}.",
                                  listed(unknown)));
    return all;
}

} // namespace headscope::core
