// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/printable.h"

#include <fmt/format.h>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <iterator>

namespace headscope::app {

namespace {

/// A character and where it stands; `code` is negative for bytes that are not UTF-8.
struct Character {
    UChar32 code;
    std::string_view bytes;
};

template<typename Visit>
void forEachCharacter(std::string_view text, Visit visit)
{
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        UChar32 code = 0;
        U8_NEXT(text.data(), end, text.size(), code);
        if (!visit(Character{code, text.substr(begin, end - begin)}))
            return;
    }
}

bool drivesTerminal(UChar32 code)
{
    switch (u_charType(code)) {
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_SURROGATE:
        return true;
    default:
        return false;
    }
}

void appendEscaped(std::string& out, const Character& character)
{
    if (character.code == '\n')
        out += "\\n";
    else if (character.code == '\t')
        out += "\\t";
    else if (character.code == '\r')
        out += "\\r";
    else if (character.code >= 0x80)
        fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<unsigned>(character.code));
    else {
        for (const char byte : character.bytes)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
}

std::size_t widthOf(UChar32 code)
{
    const auto type = u_charType(code);
    if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK)
        return 0;
    const int eastAsian = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
    return eastAsian == U_EA_WIDE || eastAsian == U_EA_FULLWIDTH ? 2 : 1;
}

} // namespace

std::string printable(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    forEachCharacter(text, [&](const Character& character) {
        if (character.code < 0 || drivesTerminal(character.code))
            appendEscaped(out, character);
        else
            out += character.bytes;
        return true;
    });
    return out;
}

std::size_t displayWidth(std::string_view printableText)
{
    std::size_t width = 0;
    forEachCharacter(printableText, [&](const Character& character) {
        width += widthOf(character.code);
        return true;
    });
    return width;
}

std::string shortened(std::string_view printableText, std::size_t width)
{
    if (displayWidth(printableText) <= width)
        return std::string(printableText);
    std::string out;
    std::size_t used = 1; // the ellipsis
    forEachCharacter(printableText, [&](const Character& character) {
        used += widthOf(character.code);
        if (used > width)
            return false;
        out += character.bytes;
        return true;
    });
    return out + "…";
}

} // namespace headscope::app
