// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_text.h"

#include <algorithm>
#include <charconv>

namespace headscope::core {
namespace {

void appendUtf8(std::string& text, std::uint32_t code)
{
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | code >> 6);
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    }
}

/// `count` hexadecimal digits at the beginning of the text.
std::optional<std::uint32_t> hexDigits(std::string_view text, std::size_t count)
{
    std::uint32_t value = 0;
    if (text.size() < count)
        return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + count, value, 16);
    return error == std::errc() && end == text.data() + count ? std::optional(value) : std::nullopt;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// What a one-letter escape stands for; the letter itself when it is none.
char simpleEscape(char letter)
{
    switch (letter) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    default: return letter;
    }
}

} // namespace

std::optional<PickleInteger> parsePickleInteger(std::string_view text)
{
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || !std::ranges::all_of(digits, isDigit))
        return std::nullopt;
    PickleInteger result;
    result.fits = std::from_chars(text.data(), text.data() + text.size(), result.value).ec == std::errc();
    return result;
}

std::optional<double> parsePickleFloat(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<std::string> decodePythonLiteral(std::string_view text)
{
    if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') || text.back() != text.front())
        return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            result += text[i];
            continue;
        }
        ++i;
        const std::optional<std::uint32_t> code = text[i] == 'x' ? hexDigits(text.substr(i + 1), 2) : std::nullopt;
        result += code ? static_cast<char>(*code) : simpleEscape(text[i]);
        i += code ? 2 : 0;
    }
    return result;
}

std::string decodeRawUnicodeEscape(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'u' || text[i + 1] == 'U');
        const std::size_t digits = escape && text[i + 1] == 'U' ? 8 : 4;
        const std::optional<std::uint32_t> code = escape ? hexDigits(text.substr(i + 2), digits) : std::nullopt;
        if (code && *code <= 0x10FFFF) {
            appendUtf8(result, *code);
            i += 1 + digits;
        } else {
            appendUtf8(result, static_cast<unsigned char>(text[i]));
        }
    }
    return result;
}

} // namespace headscope::core
