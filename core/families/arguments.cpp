// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/arguments.h"

#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace headscope::core {
namespace {

std::string printed(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::optional<double> asNumber(const nlohmann::json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? 1 : 0;
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto text = value.get<std::string>();
    if (text == "True" || text == "true")
        return 1;
    if (text == "False" || text == "false")
        return 0;
    double parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return parsed;
}

} // namespace

Arguments::Arguments(const Checkpoint& checkpoint)
    : m_values(checkpoint.hyperParameters.is_object() ? checkpoint.hyperParameters : nlohmann::json::object()),
      m_source(checkpoint.hyperParametersFrom), m_file(checkpoint.path.string())
{
}

const nlohmann::json* Arguments::find(std::string_view key) const
{
    const auto found = m_values.find(std::string(key));
    if (found == m_values.end() || found->is_null())
        return nullptr;
    if (found->is_string()) {
        const auto& text = found->get_ref<const std::string&>();
        if (text == "none" || text == "None")
            return nullptr;
    }
    return &*found;
}

std::optional<double> Arguments::number(std::string_view key) const
{
    const auto* value = find(key);
    if (!value)
        return std::nullopt;
    const auto parsed = asNumber(*value);
    if (!parsed || !std::isfinite(*parsed))
        throw Error(fmt::format("{}: {} should be a number but is {} (in {}).", m_file, key, value->dump(), m_source));
    return parsed;
}

std::optional<std::int64_t> Arguments::integer(std::string_view key) const
{
    const auto value = number(key);
    if (!value)
        return std::nullopt;
    if (*value != std::floor(*value) || std::abs(*value) > 1e15)
        throw Error(fmt::format("{}: {} should be a whole number but is {} (in {}).", m_file, key, *value, m_source));
    return static_cast<std::int64_t>(*value);
}

std::optional<std::string> Arguments::text(std::string_view key) const
{
    const auto* value = find(key);
    if (!value)
        return std::nullopt;
    if (!value->is_string())
        throw Error(fmt::format("{}: {} should be a word but is {} (in {}).", m_file, key, value->dump(), m_source));
    return value->get<std::string>();
}

void Arguments::remember(std::string_view key, std::string value, bool given)
{
    const auto known = [key](const Setting& setting) { return setting.name == key; };
    if (std::none_of(m_settings.begin(), m_settings.end(), known))
        m_settings.push_back({std::string(key), std::move(value), given ? m_source : "default of the training code"});
}

std::int64_t Arguments::integer(std::string_view key, std::int64_t fallback)
{
    const auto value = integer(key);
    remember(key, std::to_string(value.value_or(fallback)), value.has_value());
    return value.value_or(fallback);
}

double Arguments::number(std::string_view key, double fallback)
{
    const auto value = number(key);
    remember(key, fmt::format("{}", value.value_or(fallback)), value.has_value());
    return value.value_or(fallback);
}

std::string Arguments::text(std::string_view key, std::string_view fallback)
{
    auto value = text(key);
    auto result = value.value_or(std::string(fallback));
    remember(key, result, value.has_value());
    return result;
}

bool Arguments::flag(std::string_view key, bool fallback) { return integer(key, fallback ? 1 : 0) != 0; }

void Arguments::fixedByShapes(std::string_view key, std::int64_t value)
{
    m_settings.push_back({std::string(key), std::to_string(value), "shapes"});
    const auto* given = find(key);
    if (!given)
        return;
    const auto number = asNumber(*given);
    if (!number || *number != static_cast<double>(value))
        m_notes.push_back(fmt::format("{} is {} in {}, but the tensors' shapes say {}: the shapes are used.", key, printed(*given), m_source, value));
}

void Arguments::refuse(std::string_view key, std::string_view value, std::string_view why) const
{
    throw Error(fmt::format("{}: {} is \"{}\", which Headscope does not support: {}.", m_file, key, value, why));
}

void Arguments::missing(std::vector<MissingParameter> parameters) const
{
    std::vector<std::string> named;
    for (const auto& parameter : parameters)
        named.push_back(fmt::format("{} ({})", parameter.key, parameter.hint));
    throw MissingParameters(fmt::format("{}: the tensors do not tell {}; write them into a headscope.json beside the checkpoint or give --sidecar.",
                                        m_file, fmt::join(named, ", ")),
                            std::move(parameters));
}

void Arguments::contradiction(std::string_view sentence) const { throw Error(fmt::format("{}: {}", m_file, sentence)); }

} // namespace headscope::core
