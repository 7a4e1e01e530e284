// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_bytes.h"

#include "widgets/utf8.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFragment>

#include <algorithm>
#include <string_view>

namespace headscope::widgets {

namespace {

std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

bool nonCharacter(char32_t character)
{
    return (character >= 0xfdd0 && character <= 0xfdef) || (character & 0xfffe) == 0xfffe;
}

/// Characters that a document changes, or that would move or hide their neighbours.
bool needsSign(const Utf8Character& found)
{
    const char32_t c = found.character;
    if (!found.valid || nonCharacter(c))
        return true;
    if (c < 0x20)
        return c != U'\t' && c != U'\n';
    const bool control = c >= 0x7f && c <= 0x9f;
    const bool bidirectional = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    const bool separator = c == 0x2028 || c == 0x2029;
    return control || bidirectional || separator || c == 0xfeff || c == 0xfffc;
}

QTextCharFormat signFormat(const QByteArray& bytes)
{
    QTextCharFormat format;
    format.setProperty(signBytesProperty, bytes);
    return format;
}

/// The middle of a line to fold, on borders of characters: [begin, end).
std::pair<qsizetype, qsizetype> middleOf(std::string_view line)
{
    const auto continues = [line](std::size_t at) {
        return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
    };
    auto begin = static_cast<std::size_t>(shownOfFold);
    while (continues(begin) && begin < static_cast<std::size_t>(shownOfFold) + 4)
        ++begin;
    auto end = line.size() - static_cast<std::size_t>(shownOfFold);
    while (continues(end) && end + 4 > line.size() - static_cast<std::size_t>(shownOfFold))
        --end;
    return {static_cast<qsizetype>(begin), static_cast<qsizetype>(end)};
}

/// Inserts at a cursor what needs no folding.
class Inserter
{
public:
    explicit Inserter(QTextCursor& cursor) : m_cursor(cursor) {}
    ~Inserter() { flush(); }
    Inserter(const Inserter&) = delete;
    Inserter& operator=(const Inserter&) = delete;

    void insert(std::string_view bytes)
    {
        for (std::size_t at = 0; at < bytes.size();) {
            const auto found = utf8At(bytes, at);
            if (needsSign(found))
                insertSign(QByteArray(bytes.data() + at, static_cast<qsizetype>(found.size)));
            else
                m_plain.append(bytes.data() + at, static_cast<qsizetype>(found.size));
            at += found.size;
        }
    }

    void insertSign(const QByteArray& bytes)
    {
        flush();
        m_cursor.insertText(QString(signFor(bytes)), signFormat(bytes));
    }

private:
    void flush()
    {
        if (!m_plain.isEmpty())
            m_cursor.insertText(QString::fromUtf8(m_plain), QTextCharFormat());
        m_plain.clear();
    }

    QTextCursor& m_cursor;
    QByteArray m_plain;
};

/// A stretch of a block whose characters are all ordinary, or one sign.
struct Run {
    int position = 0; // in the document
    int length = 0;
    QByteArray bytes;
    bool sign = false;
};

/// Calls `visit` with every run of a block until it returns false.
template <typename Visit>
void visitRuns(const QTextBlock& block, Visit visit)
{
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextFragment fragment = it.fragment();
        const QString text = fragment.text();
        const QByteArray stands = fragment.charFormat().property(signBytesProperty).toByteArray();
        const int length = static_cast<int>(text.size());
        if (stands.isEmpty()) {
            if (!visit(Run{fragment.position(), length, text.toUtf8(), false}))
                return;
            continue;
        }
        // What is typed behind a sign has its format too; a sign is only its own character.
        const QChar sign = signFor(stands);
        for (int begin = 0; begin < length;) {
            int end = begin + 1;
            const bool isSign = text.at(begin) == sign;
            while (!isSign && end < length && text.at(end) != sign)
                ++end;
            const auto bytes = isSign ? stands : QStringView(text).mid(begin, end - begin).toUtf8();
            if (!visit(Run{fragment.position() + begin, end - begin, bytes, isSign}))
                return;
            begin = end;
        }
    }
}

/// Bytes of the first `length` UTF-16 units of a run.
qsizetype bytesOfStart(const Run& run, int length)
{
    if (run.sign || length >= run.length)
        return length <= 0 ? 0 : run.bytes.size();
    return QStringView(QString::fromUtf8(run.bytes)).left(length).toUtf8().size();
}

/// UTF-16 units of a run up to a byte, rounded to a whole character.
int lengthOfStart(const Run& run, qsizetype bytes, DocumentBytes::Round round)
{
    const bool up = round == DocumentBytes::Round::Up;
    if (bytes <= 0 || bytes >= run.bytes.size())
        return bytes <= 0 ? 0 : run.length;
    if (run.sign)
        return up ? run.length : 0;
    qsizetype at = 0;
    int length = 0;
    while (at < bytes) {
        const auto found = utf8At(view(run.bytes), static_cast<std::size_t>(at));
        if (!up && at + static_cast<qsizetype>(found.size) > bytes)
            break;
        at += static_cast<qsizetype>(found.size);
        length += found.character >= 0x10000 ? 2 : 1;
    }
    return length;
}

} // namespace

QChar signFor(const QByteArray& bytes)
{
    const auto first = utf8At(view(bytes), 0);
    if (static_cast<qsizetype>(first.size) < bytes.size())
        return QChar(u'\u22ef');
    if (!first.valid)
        return QChar(u'\ufffd');
    switch (first.character) {
    case U'\0': return QChar(u'\u2205');
    case U'\r': return QChar(u'\u21e4');
    case 0x2028: return QChar(u'\u21b2');
    case 0x2029: return QChar(u'\u00b6');
    default: return QChar(u'\u25af');
    }
}

void insertBytes(QTextCursor& cursor, const QByteArray& bytes)
{
    cursor.beginEditBlock();
    cursor.removeSelectedText();
    {
        Inserter inserter(cursor);
        for (qsizetype at = 0; at < bytes.size();) {
            const auto lineEnd = bytes.indexOf('\n', at);
            const auto end = lineEnd < 0 ? bytes.size() : lineEnd;
            const auto line = view(bytes).substr(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at));
            if (end - at > longestLine) {
                const auto [from, to] = middleOf(line);
                inserter.insert(line.substr(0, static_cast<std::size_t>(from)));
                inserter.insertSign(bytes.mid(at + from, to - from));
                inserter.insert(line.substr(static_cast<std::size_t>(to)));
            } else {
                inserter.insert(line);
            }
            if (lineEnd >= 0)
                inserter.insert("\n");
            at = end + 1;
        }
    }
    cursor.endEditBlock();
}

void foldLine(const QTextBlock& line)
{
    const int length = line.length() - 1;
    const int shown = std::min(static_cast<int>(shownOfFold), length / 2);
    QTextCursor cursor(line);
    cursor.joinPreviousEditBlock();
    cursor.setPosition(line.position() + shown);
    cursor.setPosition(line.position() + length - shown, QTextCursor::KeepAnchor);
    const QByteArray middle = bytesBetween(*line.document(), cursor.selectionStart(), cursor.selectionEnd());
    cursor.removeSelectedText();
    cursor.insertText(QString(signFor(middle)), signFormat(middle));
    cursor.endEditBlock();
}

QByteArray bytesBetween(const QTextDocument& document, int from, int to)
{
    QByteArray result;
    for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() < to; block = block.next()) {
        visitRuns(block, [&](const Run& run) {
            const int begin = std::max(from - run.position, 0);
            const int end = std::min(to - run.position, run.length);
            if (begin < end)
                result += run.bytes.mid(bytesOfStart(run, begin), bytesOfStart(run, end) - bytesOfStart(run, begin));
            return run.position + run.length < to;
        });
        const int border = block.position() + block.length() - 1;
        if (block.next().isValid() && border >= from && border < to)
            result += '\n';
    }
    return result;
}

DocumentBytes::DocumentBytes(const QTextDocument& document)
{
    m_blockStarts.reserve(static_cast<std::size_t>(document.blockCount()));
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (!m_blockStarts.empty())
            m_bytes += '\n';
        m_blockStarts.push_back(m_bytes.size());
        visitRuns(block, [&](const Run& run) {
            if (run.sign && run.bytes.size() > 4)
                m_folds.push_back({run.position, run.bytes.size()});
            m_bytes += run.bytes;
            return true;
        });
    }
}

qsizetype DocumentBytes::byteAt(const QTextDocument& document, int position) const
{
    const QTextBlock block = document.findBlock(position);
    if (!block.isValid())
        return m_bytes.size();
    qsizetype byte = m_blockStarts[static_cast<std::size_t>(block.blockNumber())];
    visitRuns(block, [&](const Run& run) {
        if (position <= run.position)
            return false;
        byte += bytesOfStart(run, position - run.position);
        return true;
    });
    return byte;
}

int DocumentBytes::positionAt(const QTextDocument& document, qsizetype byte, Round round) const
{
    if (m_blockStarts.empty() || byte <= 0)
        return 0;
    const auto after = std::upper_bound(m_blockStarts.begin(), m_blockStarts.end(), std::min(byte, m_bytes.size()));
    const auto number = static_cast<int>(after - m_blockStarts.begin()) - 1;
    const QTextBlock block = document.findBlockByNumber(number);
    qsizetype left = std::min(byte, m_bytes.size()) - m_blockStarts[static_cast<std::size_t>(number)];
    int position = block.position();
    visitRuns(block, [&](const Run& run) {
        position = run.position + lengthOfStart(run, left, round);
        left -= run.bytes.size();
        return left > 0;
    });
    return position;
}

} // namespace headscope::widgets
