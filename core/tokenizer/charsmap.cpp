// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/charsmap.h"

#include "core/tokenizer/utf8.h"

#include <cstring>

namespace headscope::core {
namespace {

// A unit of the double array (darts-clone), little-endian as SentencePiece writes it on every machine we build for.
constexpr std::uint32_t isValue = 1U << 31;
constexpr std::uint32_t blockSize = 256; // children of a node lie in one aligned block, picked by the byte

// The longest of Unicode has 33 bytes; a text must not explode.
constexpr std::size_t mostReplacementBytes = 255;

bool hasValue(std::uint32_t unit)
{
    return (unit >> 8) & 1U;
}
std::uint32_t value(std::uint32_t unit)
{
    return unit & (isValue - 1);
}
std::uint32_t label(std::uint32_t unit)
{
    return unit & (isValue | 0xFFU);
}
bool isContinuation(char byte)
{
    return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80;
}
std::uint32_t offset(std::uint32_t unit)
{
    return (unit >> 10) << ((unit & (1U << 9)) >> 6);
}

} // namespace

std::optional<CharsMap> CharsMap::parse(std::string_view bytes)
{
    std::uint32_t trieBytes = 0;
    if (bytes.size() <= sizeof trieBytes)
        return std::nullopt;
    std::memcpy(&trieBytes, bytes.data(), sizeof trieBytes);
    bytes.remove_prefix(sizeof trieBytes);
    if (trieBytes == 0 || trieBytes % (blockSize * sizeof(std::uint32_t)) != 0 || trieBytes >= bytes.size() ||
        bytes.back() != '\0')
        return std::nullopt;
    CharsMap map;
    map.m_units.resize(trieBytes / sizeof(std::uint32_t));
    std::memcpy(map.m_units.data(), bytes.data(), trieBytes);
    map.m_replacements = bytes.substr(trieBytes);
    if (ValidUtf8(map.m_replacements).text() != map.m_replacements || !map.staysInside() || !map.nestsWithinLimit())
        return std::nullopt;
    return map;
}

bool CharsMap::staysInside() const
{
    for (std::uint32_t i = 0; i < m_units.size(); ++i) {
        const std::uint32_t unit = m_units[i];
        if (unit & isValue) {
            // Replacements are whole characters: nothing may begin inside one.
            if (value(unit) >= m_replacements.size() || isContinuation(m_replacements[value(unit)]) ||
                std::strlen(m_replacements.c_str() + value(unit)) > mostReplacementBytes)
                return false;
            continue;
        }
        const std::uint64_t block = (i ^ offset(unit)) & ~(blockSize - 1);
        if (block + blockSize > m_units.size())
            return false;
        if (hasValue(unit) && !(m_units[i ^ offset(unit)] & isValue))
            return false;
    }
    return true;
}

/// SentencePiece has room for this many rules that begin with each other ("a", "ab", "abc", …).
bool CharsMap::nestsWithinLimit() const
{
    constexpr std::uint8_t most = 32;
    struct Visit {
        std::uint32_t place;
        std::uint8_t rules; // on the way to this place, plus one
    };
    std::vector<std::uint8_t> visited(m_units.size()); // with how many rules; a damaged trie can have loops
    std::vector<Visit> open{{offset(m_units[0]), 1}};
    while (!open.empty()) {
        const Visit visit = open.back();
        open.pop_back();
        if (visited[visit.place] >= visit.rules)
            continue;
        visited[visit.place] = visit.rules;
        for (std::uint32_t byte = 0; byte < blockSize; ++byte) {
            const std::uint32_t unit = m_units[visit.place ^ byte];
            if (label(unit) != byte)
                continue;
            const auto rules = static_cast<std::uint8_t>(visit.rules + (hasValue(unit) ? 1 : 0));
            if (rules > most)
                return false;
            open.push_back({visit.place ^ byte ^ offset(unit), rules});
        }
    }
    return true;
}

std::optional<CharsMap::Rule> CharsMap::longest(std::string_view text) const
{
    if (m_units.empty())
        return std::nullopt;
    std::optional<Rule> result;
    std::uint32_t place = offset(m_units[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(text[i]);
        place ^= byte;
        const std::uint32_t unit = m_units[place];
        if (label(unit) != byte)
            break;
        place ^= offset(unit);
        if (hasValue(unit))
            result = Rule{i + 1, m_replacements.c_str() + value(m_units[place])};
    }
    return result;
}

} // namespace headscope::core
