// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/utf8.h"

#include <cstdint>

namespace headscope::core {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

std::uint8_t byteAt(std::string_view text, std::size_t place)
{
    return static_cast<std::uint8_t>(text[place]);
}

/// What Unicode's table 3-7 allows after a lead byte: how many bytes follow, and the range of the first of them.
struct Tail {
    std::size_t size = 0;
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
};

Tail tailOf(std::uint8_t lead)
{
    if (lead >= 0xC2 && lead <= 0xDF)
        return {1};
    if (lead >= 0xE0 && lead <= 0xEF)
        return {2, static_cast<std::uint8_t>(lead == 0xE0 ? 0xA0 : 0x80),
                static_cast<std::uint8_t>(lead == 0xED ? 0x9F : 0xBF)};
    if (lead >= 0xF0 && lead <= 0xF4)
        return {3, static_cast<std::uint8_t>(lead == 0xF0 ? 0x90 : 0x80),
                static_cast<std::uint8_t>(lead == 0xF4 ? 0x8F : 0xBF)};
    return {0};
}

std::size_t validPrefix(std::string_view text)
{
    std::size_t place = 0;
    while (place < text.size()) {
        const Utf8Step step = utf8Step(text.substr(place));
        if (!step.valid)
            break;
        place += step.size;
    }
    return place;
}

} // namespace

Utf8Step utf8Step(std::string_view text)
{
    const std::uint8_t lead = byteAt(text, 0);
    if (lead < 0x80)
        return {1, true};
    const Tail tail = tailOf(lead);
    if (tail.size == 0 || text.size() < 2 || byteAt(text, 1) < tail.low || byteAt(text, 1) > tail.high)
        return {1, false};
    for (std::size_t i = 2; i <= tail.size; ++i)
        if (i >= text.size() || (byteAt(text, i) & 0xC0) != 0x80)
            return {i, false};
    return {tail.size + 1, true};
}

char32_t utf8CodePoint(std::string_view character)
{
    const std::uint8_t lead = byteAt(character, 0);
    if (character.size() == 1)
        return lead;
    char32_t result = lead & (0x7FU >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i)
        result = (result << 6) | (byteAt(character, i) & 0x3FU);
    return result;
}

ValidUtf8::ValidUtf8(std::string_view text) : m_original(text)
{
    std::size_t place = validPrefix(text);
    if (place == text.size())
        return;
    m_repaired.assign(text.substr(0, place));
    while (place < text.size()) {
        const Utf8Step invalid = utf8Step(text.substr(place));
        m_repairs.push_back({m_repaired.size(), invalid.size});
        m_repaired += replacement;
        place += invalid.size;
        const std::size_t valid = validPrefix(text.substr(place));
        m_repaired += text.substr(place, valid);
        place += valid;
    }
}

std::size_t ValidUtf8::Walk::original(std::size_t place)
{
    const auto& repairs = m_text->m_repairs;
    for (; m_next < repairs.size() && repairs[m_next].place < place; ++m_next) {
        m_to += repairs[m_next].place - m_from + repairs[m_next].size;
        m_from = repairs[m_next].place + replacement.size();
    }
    return m_to + (place - m_from);
}

} // namespace headscope::core
