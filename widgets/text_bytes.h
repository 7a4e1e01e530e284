// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QTextFormat>

#include <vector>

class QTextBlock;
class QTextCursor;
class QTextDocument;

namespace headscope::widgets {

// Any bytes in a QTextDocument, which itself holds neither every character (CR, U+2029, U+FDD0 become line ends) nor bytes
// that are no UTF-8. What it cannot hold, and what nobody would see, is there as a *sign*: one visible character whose
// format carries the bytes it stands for. Formats take part in undo, so bytes survive any editing. A line feed is the border
// of two blocks.

/// The property of a sign's format: the bytes it stands for (QByteArray).
inline constexpr int signBytesProperty = QTextFormat::UserProperty + 1;

/// Lines with more bytes than this are folded: a sign stands for their middle. QPlainTextEdit needs seconds per key in long
/// lines.
inline constexpr qsizetype longestLine = 50'000;
/// What stays visible of a folded line at either end.
inline constexpr qsizetype shownOfFold = 500;

/// The sign for these bytes: ⇤ carriage return, ∅ NUL, ↲ U+2028, ¶ U+2029, � a byte outside UTF-8, ⋯ a folded passage, ▯
/// anything else.
QChar signFor(const QByteArray& bytes);

/// Replaces what the cursor has selected, as one step of undo. Long lines within `bytes` are folded.
void insertBytes(QTextCursor& cursor, const QByteArray& bytes);

/// Folds the middle of one line, whatever its length, as part of the previous step of undo.
void foldLine(const QTextBlock& line);

/// The bytes that positions [from, to) of a document stand for.
QByteArray bytesBetween(const QTextDocument& document, int from, int to);

/// One sign that stands for a folded passage.
struct Fold {
    int position = 0;
    qsizetype bytes = 0;

    bool operator==(const Fold&) const = default;
};

/// All bytes of a document, and which are where. Good until the document changes.
class DocumentBytes
{
public:
    enum class Round { Down, Up }; // to the start or the end of the character that holds a byte

    DocumentBytes() = default;
    explicit DocumentBytes(const QTextDocument& document);

    const QByteArray& bytes() const { return m_bytes; }
    const std::vector<Fold>& folds() const { return m_folds; }
    /// The byte before which a position stands.
    qsizetype byteAt(const QTextDocument& document, int position) const;
    int positionAt(const QTextDocument& document, qsizetype byte, Round round) const;

private:
    QByteArray m_bytes;
    std::vector<qsizetype> m_blockStarts; // first byte of every block
    std::vector<Fold> m_folds;
};

} // namespace headscope::widgets
