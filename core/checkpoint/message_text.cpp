// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace headscope::core {
namespace {

constexpr std::size_t kLongestName = 120; // bytes of a name that a sentence shows

/// Length of the well-formed UTF-8 character at the beginning of `text`, 0 when there is none.
std::size_t utf8Length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    const bool tooLarge = lead == 0xF4 && byte(1) > 0x8F;
    return overlong || surrogate || tooLarge ? 0 : length;
}

} // namespace

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string toUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8Length(text);
        if (length == 0)
            result += "\xEF\xBF\xBD";
        else
            result += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::string quotedName(std::string_view name)
{
    return '"' + shortened(name) + '"';
}

std::string shortened(std::string_view text)
{
    std::string result;
    while (!text.empty() && result.size() < kLongestName) {
        const std::size_t length = utf8Length(text);
        const auto first = static_cast<std::uint8_t>(text.front());
        const bool c1Control = first == 0xC2 && length == 2 && static_cast<std::uint8_t>(text[1]) < 0xA0;
        if (length == 0 || first < 0x20 || first == 0x7F || c1Control)
            result += fmt::format("\\x{:02x}", first);
        else
            result += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return text.empty() ? result : result + "…";
}

std::string shownShape(std::span<const std::int64_t> shape)
{
    constexpr std::size_t mostSizes = 8;
    std::string sizes = fmt::format("{}", fmt::join(shape.first(std::min(shape.size(), mostSizes)), ", "));
    if (shape.size() > mostSizes)
        sizes += fmt::format(", … ({} dimensions)", shape.size());
    return "[" + sizes + "]";
}

std::string shown(const std::filesystem::path& path)
{
    std::string result;
    for (const char c : path.string())
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    return result;
}

} // namespace headscope::core
