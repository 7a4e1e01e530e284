// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/displayed.h"

#include "core/tokenizer/utf8.h"

#include <fmt/format.h>

#include <unicode/uchar.h>

#include <iterator>

namespace headscope::core {

namespace {

bool shapeless(UChar32 code)
{
    switch (u_charType(code)) {
    case U_SPACE_SEPARATOR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR:
    case U_CONTROL_CHAR:
    case U_FORMAT_CHAR:
    case U_PRIVATE_USE_CHAR:
    case U_SURROGATE:
    case U_UNASSIGNED: return true;
    default: return false;
    }
}

void append(std::string& out, std::string_view character)
{
    const char32_t code = utf8CodePoint(character);
    switch (code) {
    case U' ':
    case U'\u2581': out += "␣"; return;
    case U'\t': out += "⇥"; return;
    case U'\n': out += "↵"; return;
    case U'\r': out += "⇤"; return;
    default: break;
    }
    if (shapeless(static_cast<UChar32>(code)))
        fmt::format_to(std::back_inserter(out), "U+{:04X}", static_cast<unsigned>(code));
    else
        out += character;
}

} // namespace

std::string displayed(std::string_view text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = utf8Step(text.substr(at));
        const std::string_view part = text.substr(at, step.size);
        at += step.size;
        if (step.valid) {
            append(out, part);
            continue;
        }
        for (const char byte : part)
            fmt::format_to(std::back_inserter(out), "\\x{:02X}", static_cast<unsigned char>(byte));
    }
    return out;
}

} // namespace headscope::core
