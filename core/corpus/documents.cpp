// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/documents.h"

#include "core/corpus/text_kind.h"

#include <algorithm>

namespace headscope::core {

namespace {

constexpr std::string_view literalPrefix = "literal:";
constexpr std::string_view inLine = " \t\r";    // white space that does not end a line
constexpr std::string_view anySpace = " \t\r\n";
constexpr auto npos = std::string_view::npos;
constexpr std::size_t longestBlankLine = 1U << 20; // what is longer is text: it need not be in memory whole

} // namespace

std::string toString(const DocumentSplit& split)
{
    switch (split.kind) {
    case DocumentSplit::Kind::File: return "file";
    case DocumentSplit::Kind::Blank: return "blank";
    case DocumentSplit::Kind::Line: return "line";
    case DocumentSplit::Kind::Literal: return std::string(literalPrefix) + split.literal;
    }
    return {};
}

std::optional<DocumentSplit> documentSplitFromString(std::string_view text)
{
    using Kind = DocumentSplit::Kind;
    for (const Kind kind : {Kind::File, Kind::Blank, Kind::Line})
        if (text == toString(DocumentSplit{kind, {}}))
            return DocumentSplit{kind, {}};
    if (text.starts_with(literalPrefix) && text.size() > literalPrefix.size())
        return DocumentSplit{Kind::Literal, std::string(text.substr(literalPrefix.size()))};
    return std::nullopt;
}

DocumentReader::DocumentReader(std::vector<CorpusFile> files, DocumentSplit split) : m_files(std::move(files)), m_split(std::move(split)) {}

bool DocumentReader::openNextFile()
{
    if (m_bytes && m_sizes.size() < m_file)
        m_sizes.push_back(m_json ? m_json->place() : m_place);
    if (m_file == m_files.size())
        return false;
    m_json.reset();
    m_bytes = std::make_unique<CorpusBytes>(m_files[m_file]);
    if (!m_split.jsonField.empty() && isNamedAsJson(m_files[m_file].path))
        m_json = std::make_unique<JsonLines>(*m_bytes, m_files[m_file], m_split.jsonField);
    ++m_file;
    m_buffer.clear();
    m_used = 0;
    m_place = m_bytes->markBytes();
    m_fileEnded = false;
    return true;
}

void DocumentReader::fill()
{
    m_buffer.erase(0, m_used);
    m_used = 0;
    const std::string more = m_bytes->read();
    m_fileEnded = more.empty();
    m_buffer += more;
}

std::string_view DocumentReader::advance(std::size_t bytes)
{
    const std::string_view passed = rest().substr(0, bytes);
    m_used += bytes;
    m_place += bytes;
    return passed;
}

/// A blank line is a line end, white space, another line end. As much white space as follows belongs to the separator, but for the
/// indentation of the next document.
DocumentReader::Separator DocumentReader::findBlank(std::string_view text) const
{
    for (std::size_t lineEnd = text.find('\n'); lineEnd != npos; lineEnd = text.find('\n', lineEnd + 1)) {
        const std::size_t other = text.find_first_not_of(inLine, lineEnd + 1);
        const std::size_t begin = lineEnd > 0 && text[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
        if (other == npos && text.size() - lineEnd > longestBlankLine)
            continue;
        if (other == npos) // the rest is white space
            return m_fileEnded ? Separator{begin, text.size()} : Separator{begin, npos};
        if (text[other] == '\n')
            return {begin, other + 1};
    }
    const std::size_t open = !m_fileEnded && text.ends_with('\r') ? 1 : 0;
    return {text.size() - open, npos};
}

DocumentReader::Separator DocumentReader::find(std::string_view text) const
{
    switch (m_split.kind) {
    case DocumentSplit::Kind::File: break;
    case DocumentSplit::Kind::Blank: return findBlank(text);
    case DocumentSplit::Kind::Line: {
        const std::size_t end = text.find('\n');
        const std::size_t last = std::min(end, text.size());
        const bool before = last > 0 && text[last - 1] == '\r' && (end != npos || !m_fileEnded);
        return {last - (before ? 1 : 0), end == npos ? npos : end + 1};
    }
    case DocumentSplit::Kind::Literal: {
        const std::size_t found = text.find(m_split.literal);
        if (found != npos)
            return {found, found + m_split.literal.size()};
        const std::size_t open = m_fileEnded ? 0 : std::min(text.size(), m_split.literal.size() - 1);
        return {text.size() - open, npos};
    }
    }
    return {text.size(), npos};
}

/// Past what lies between documents, to the first byte of the next or the end of the file.
void DocumentReader::skipBetween()
{
    for (;;) {
        if (rest().empty() && !m_fileEnded)
            fill();
        if (rest().empty())
            return;
        if (m_split.kind == DocumentSplit::Kind::Blank) {
            // Blank lines at the beginning; the indentation of the first line that is not blank stays.
            const std::size_t text = rest().find_first_not_of(anySpace);
            const std::size_t lineEnd = rest().substr(0, text).rfind('\n');
            if (lineEnd != npos)
                advance(lineEnd + 1);
            if (text != npos)
                return;
            if (m_fileEnded)
                advance(rest().size());
            else
                fill();
            continue;
        }
        const Separator next = find(rest());
        if (next.begin > 0)
            return;
        if (next.end != npos)
            advance(next.end);
        else if (m_fileEnded)
            return;
        else
            fill();
    }
}

bool DocumentReader::next()
{
    while (m_inDocument)
        read();
    for (;;) {
        if (m_json) {
            if (nextLineOfJson())
                return true;
        } else if (m_bytes) {
            skipBetween();
            if (!rest().empty())
                break;
        }
        if (!openNextFile())
            return false;
    }
    m_begin = m_place;
    m_inDocument = true;
    return true;
}

/// To the next line whose text is not empty.
bool DocumentReader::nextLineOfJson()
{
    while (auto line = m_json->next()) {
        if (line->text.empty())
            continue;
        m_buffer = std::move(line->text);
        m_used = 0;
        m_begin = line->begin;
        m_inDocument = true;
        return true;
    }
    return false;
}

std::string_view DocumentReader::readJson()
{
    constexpr std::size_t atOnce = 1U << 16;
    const std::string_view some = rest().substr(0, atOnce);
    m_used += some.size();
    m_inDocument = !some.empty();
    return some;
}

std::string_view DocumentReader::read()
{
    if (m_json)
        return m_inDocument ? readJson() : std::string_view();
    while (m_inDocument) {
        const Separator separator = find(rest());
        if (separator.begin > 0)
            return advance(separator.begin);
        if (separator.end != npos) {
            advance(separator.end);
            m_inDocument = false;
        } else if (m_fileEnded) {
            m_inDocument = false;
        } else {
            fill();
        }
    }
    return {};
}

} // namespace headscope::core
