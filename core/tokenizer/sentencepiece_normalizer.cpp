// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/sentencepiece_normalizer.h"

#include "core/tokenizer/utf8.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace headscope::core {
namespace {

constexpr std::size_t mostNormalBytes = 1U << 30;
constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

std::uint32_t place(std::size_t value)
{
    return static_cast<std::uint32_t>(value);
}

bool startsInsideCharacter(std::string_view rest)
{
    return !rest.empty() && (static_cast<std::uint8_t>(rest.front()) & 0xC0) == 0x80;
}

} // namespace

SentencePieceNormalizer::SentencePieceNormalizer(SentencePieceFile file)
    : m_file(std::move(file)), m_symbolStarts(256), m_space(m_file.escapeSpaces ? escapedSpace : " ")
{
    for (const std::string& symbol : m_file.userDefined) {
        m_symbols.insert(symbol);
        m_symbolSizes.push_back(symbol.size());
        m_symbolStarts[static_cast<std::uint8_t>(symbol.front())] = true;
    }
    std::sort(m_symbolSizes.begin(), m_symbolSizes.end(), std::greater<>());
    m_symbolSizes.erase(std::unique(m_symbolSizes.begin(), m_symbolSizes.end()), m_symbolSizes.end());
}

std::size_t SentencePieceNormalizer::symbolSize(std::string_view rest) const
{
    if (!m_symbolStarts[static_cast<std::uint8_t>(rest.front())])
        return 0;
    for (const std::size_t size : m_symbolSizes)
        if (size <= rest.size() && m_symbols.contains(rest.substr(0, size)))
            return size;
    return 0;
}

SentencePieceNormalizer::Step SentencePieceNormalizer::step(std::string_view rest) const
{
    if (const std::size_t size = symbolSize(rest))
        return {size, rest.substr(0, size)};
    if (const auto rule = m_file.rules.longest(rest))
        return {rule->size, rule->replacement};
    // Only a rule that ends inside a character (a broken model) leaves something invalid behind.
    const Utf8Step character = utf8Step(rest);
    return character.valid ? Step{character.size, rest.substr(0, character.size)} : Step{1, replacementCharacter};
}

void SentencePieceNormalizer::appendEscaped(std::string& text, std::string_view replacement) const
{
    for (const char byte : replacement)
        if (byte == ' ')
            text += m_space;
        else
            text += byte;
}

NormalText SentencePieceNormalizer::normalize(std::string_view text, const Progress& progress) const
{
    NormalText result;
    result.text.reserve(text.size() + text.size() / 2);
    result.units.reserve(text.size() + 2);
    const auto begin = [&](std::size_t original) {
        // A rule may end inside a character (in a broken model); that character stays one unit.
        if (!startsInsideCharacter(text.substr(original)))
            result.units.push_back({place(original), place(result.text.size())});
    };

    std::size_t at = 0;
    if (m_file.removeExtraSpaces)
        for (Step next; at < text.size() && (next = step(text.substr(at))).replacement == " "; at += next.size)
            begin(at);
    const bool hasDummy = at < text.size() && m_file.addDummyPrefix;
    if (hasDummy && !m_file.spaceIsSuffix) {
        begin(at);
        result.text += m_space;
    }
    bool afterSpace = m_file.removeExtraSpaces;
    constexpr std::size_t bytesBetweenQuestions = 1U << 16;
    for (std::size_t question = at; at < text.size();) {
        if (at >= question) {
            progress.checkpoint();
            if (result.text.size() > mostNormalBytes)
                throw Error("The text is too long after normalisation (more than 1 GB); split it into shorter documents.");
            question = at + bytesBetweenQuestions;
        }
        const Step next = step(text.substr(at));
        std::string_view replacement = next.replacement;
        if (afterSpace)
            replacement.remove_prefix(std::min(replacement.find_first_not_of(' '), replacement.size()));
        begin(at);
        appendEscaped(result.text, replacement);
        if (!replacement.empty())
            afterSpace = m_file.removeExtraSpaces && replacement.ends_with(' ');
        at += next.size;
    }
    begin(text.size());
    finish(result, hasDummy && m_file.spaceIsSuffix);
    return result;
}

/// Drops spaces at the end (also a "▁" that was typed: the library cannot tell them apart) and adds the dummy suffix.
void SentencePieceNormalizer::finish(NormalText& result, bool addSuffix) const
{
    std::string& text = result.text;
    if (m_file.removeExtraSpaces)
        while (text.ends_with(m_space))
            text.resize(text.size() - m_space.size());
    auto& units = result.units;
    auto dropped = units.end();
    while (dropped != units.begin() && (dropped - 1)->normal >= text.size())
        (--dropped)->normal = place(text.size());
    if (!addSuffix)
        return;
    const auto suffix = units.insert(dropped, *dropped);
    text += m_space;
    std::for_each(suffix + 1, units.end(), [&](NormalText::Unit& unit) { unit.normal = place(text.size()); });
}

} // namespace headscope::core
