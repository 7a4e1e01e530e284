// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/argument_values.h"

#include "core/checkpoint/message_text.h"

#include <charconv>

namespace headscope::core {

bool isNone(const nlohmann::json& value)
{
    if (value.is_null())
        return true;
    return value.is_string() &&
           (value.get_ref<const std::string&>() == "none" || value.get_ref<const std::string&>() == "None");
}

std::optional<double> asNumber(const nlohmann::json& value)
{
    if (value.is_boolean())
        return value.get<bool>() ? 1 : 0;
    if (value.is_number())
        return value.get<double>();
    if (!value.is_string())
        return std::nullopt;
    const auto& text = value.get_ref<const std::string&>();
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

std::string printedValue(const nlohmann::json& value)
{
    constexpr std::size_t longest = 60;
    auto text = toUtf8(value.is_string() ? value.get<std::string>()
                                         : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (text.size() <= longest)
        return text;
    return toUtf8(text.substr(0, longest)) + "…";
}

} // namespace headscope::core
