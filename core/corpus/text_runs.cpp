// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/text_runs.h"

#include "core/corpus/word_key.h"
#include "core/tokenizer/utf8.h"

#include <unicode/uchar.h>

#include <utility>

namespace headscope::core {

namespace {

constexpr std::size_t longestCharacter = 4;
constexpr std::string_view cutMark = "\xE2\x80\xA6"; // "…"

TextRuns::Kind kindOf(std::string_view character, bool valid)
{
    if (!valid)
        return TextRuns::Kind::Word;
    const auto point = static_cast<UChar32>(utf8CodePoint(character));
    if (u_isUWhiteSpace(point))
        return TextRuns::Kind::Space;
    return u_ispunct(point) ? TextRuns::Kind::Punctuation : TextRuns::Kind::Word;
}

} // namespace

void TextRuns::add(std::string_view bytes)
{
    std::string joined;
    if (!m_partial.empty()) {
        joined = std::exchange(m_partial, {});
        joined += bytes;
        bytes = joined;
    }
    while (!bytes.empty()) {
        const Utf8Step step = utf8Step(bytes);
        // Bytes that follow may complete it.
        if (!step.valid && step.size == bytes.size() && bytes.size() < longestCharacter) {
            m_partial = bytes;
            return;
        }
        const std::string_view character = bytes.substr(0, step.size);
        if (step.valid && isIgnorable(utf8CodePoint(character)))
            takeIgnorable(character);
        else
            take(kindOf(character, step.valid), character);
        bytes.remove_prefix(step.size);
    }
}

void TextRuns::take(Kind kind, std::string_view character)
{
    // A long run is closed in parts, so that it can be used before it ends; the parts of a word are one word.
    const bool goesOn = m_end > m_open.begin && kind == m_open.kind;
    const bool tooLong = goesOn && m_end - m_open.begin >= mostWordBytes;
    if (!goesOn || tooLong) {
        std::string word = goesOn ? m_open.word : std::string();
        if (goesOn && kind == Kind::Word && !word.ends_with(cutMark)) {
            word += cutMark;
            m_open.word = word;
        }
        close();
        m_open = {kind, m_end, m_end, std::move(word)};
    }
    m_end += character.size();
    if (kind == Kind::Word && m_open.word.size() < mostWordBytes) {
        m_open.word += m_ignorable;
        m_open.word += character;
    }
    m_ignorable.clear();
}

void TextRuns::takeIgnorable(std::string_view character)
{
    if (m_end == m_open.begin) // at the beginning of a text: as white space
        return take(Kind::Space, character);
    if (m_end - m_open.begin >= mostWordBytes) // so that a run of them does not hold everything up
        return take(m_open.kind, character);
    m_end += character.size();
    if (m_open.kind == Kind::Word && m_ignorable.size() < mostWordBytes)
        m_ignorable += character;
}

void TextRuns::close()
{
    m_open.end = m_end;
    m_ignorable.clear();
    if (m_open.end > m_open.begin)
        m_runs.push_back(std::move(m_open));
    m_known = m_end;
}

void TextRuns::finish()
{
    if (!m_partial.empty())
        take(Kind::Word, std::exchange(m_partial, {}));
    close();
    m_open = {Kind::Space, m_end, m_end, {}};
}

const TextRuns::Run* TextRuns::firstIn(std::uint64_t begin, std::uint64_t end)
{
    while (!m_runs.empty() && m_runs.front().end <= begin)
        m_runs.pop_front();
    for (const Run& run : m_runs) {
        if (run.begin >= end)
            return nullptr;
        if (run.kind != Kind::Space)
            return &run;
    }
    return nullptr;
}

} // namespace headscope::core
