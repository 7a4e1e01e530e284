// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/safe_cuts.h"

#include "core/tokenizer/utf8.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace headscope::core {
namespace {

std::uint64_t pair(char32_t left, char32_t right)
{
    return static_cast<std::uint64_t>(left) << 32 | right;
}

char32_t firstCharacter(std::string_view text)
{
    return utf8CodePoint(text.substr(0, utf8Step(text).size));
}

char32_t lastCharacter(std::string_view text)
{
    std::size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<std::uint8_t>(text[begin]) & 0xC0) == 0x80)
        --begin;
    return utf8CodePoint(text.substr(begin));
}

template <typename Value>
void sortUnique(std::vector<Value>& values)
{
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

} // namespace

SafeCuts::SafeCuts(const std::vector<std::string>& pieces, UnknownCharacters unknown) : m_unknown(unknown)
{
    for (std::string_view piece : pieces) {
        std::optional<char32_t> before;
        bool single = true;
        while (!piece.empty()) {
            const std::size_t size = utf8Step(piece).size;
            char32_t character = utf8CodePoint(piece.substr(0, size));
            // A user-defined symbol may be spelled with a plain space; in a normal text it is "▁".
            if (character == U' ')
                character = utf8CodePoint(escapedSpace);
            if (before) {
                m_pairs.push_back(pair(*before, character));
                single = false;
            }
            before = character;
            piece.remove_prefix(size);
        }
        if (single && before)
            m_knownCharacters.push_back(*before);
    }
    sortUnique(m_pairs);
    sortUnique(m_knownCharacters);
}

std::vector<SafeCuts::Part> SafeCuts::parts(const NormalText& normal, std::size_t size) const
{
    const auto& units = normal.units;
    const std::size_t end = units.size() - 1;
    std::vector<Part> result{{0, 0, end}};
    for (std::size_t unit = 1; unit < end; ++unit) {
        if (units[unit].original < units[result.back().firstUnit].original + size || !allowed(normal, unit))
            continue;
        result.back().lastUnit = unit;
        result.push_back({unit - 1, unit, end});
    }
    return result;
}

/// Whether the text may be cut before `unit`.
bool SafeCuts::allowed(const NormalText& normal, std::size_t unit) const
{
    const auto& units = normal.units;
    const auto text = [&](std::size_t i) {
        return std::string_view(normal.text).substr(units[i].normal, units[i + 1].normal - units[i].normal);
    };
    const std::string_view before = text(unit - 1);
    const std::string_view after = text(unit);
    // A dropped character has no pieces to recognise; a space at the end or beginning of a text would be treated
    // differently.
    if (before.empty() || after.empty() || before.find(escapedSpace) != std::string_view::npos)
        return false;
    const char32_t left = lastCharacter(before);
    if (m_unknown == UnknownCharacters::Joined &&
        !std::binary_search(m_knownCharacters.begin(), m_knownCharacters.end(), left))
        return false;
    return !std::binary_search(m_pairs.begin(), m_pairs.end(), pair(left, firstCharacter(after)));
}

} // namespace headscope::core
