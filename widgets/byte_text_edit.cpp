// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/byte_text_edit.h"

#include "widgets/oklab.h"
#include "widgets/text_bytes.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QTextFragment>

namespace headscope::widgets {

/// Sets signs apart from the characters they look like. Their colours are not in the document: a theme may change, bytes may
/// not.
class SignHighlighter : public QSyntaxHighlighter
{
public:
    explicit SignHighlighter(QTextDocument* document, const Theme& theme) : QSyntaxHighlighter(document), m_theme(theme) {}

    void setTheme(const Theme& theme)
    {
        m_theme = theme;
        rehighlight();
    }

protected:
    void highlightBlock(const QString& text) override
    {
        QTextCharFormat look;
        look.setForeground(m_theme.highlight);
        look.setBackground(mix(m_theme.base, m_theme.highlight, 0.14));
        const QTextBlock block = currentBlock();
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            const QByteArray bytes = fragment.charFormat().property(signBytesProperty).toByteArray();
            if (bytes.isEmpty())
                continue;
            const QChar sign = signFor(bytes);
            const int begin = fragment.position() - block.position();
            for (int i = begin; i < begin + fragment.length(); ++i)
                if (text.at(i) == sign)
                    setFormat(i, 1, look);
        }
    }

private:
    Theme m_theme;
};

ByteTextEdit::ByteTextEdit(QWidget* parent)
    : QPlainTextEdit(parent), m_highlighter(new SignHighlighter(document(), themeOf(palette())))
{
    setTabChangesFocus(true); // tabs are pasted; the key leads on
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, &ByteTextEdit::leaveSignFormat);
}

QString ByteTextEdit::bytesMimeType()
{
    return QStringLiteral("application/x-headscope-text");
}

/// What is typed behind a sign would have its format. (With a selection this must not run: it would format what is
/// selected.)
void ByteTextEdit::leaveSignFormat()
{
    if (!textCursor().hasSelection() && currentCharFormat().hasProperty(signBytesProperty))
        setCurrentCharFormat(QTextCharFormat());
}

QMimeData* ByteTextEdit::createMimeDataFromSelection() const
{
    const QTextCursor cursor = textCursor();
    const QByteArray bytes = bytesBetween(*document(), cursor.selectionStart(), cursor.selectionEnd());
    auto* mime = new QMimeData;
    mime->setText(QString::fromUtf8(bytes));
    mime->setData(bytesMimeType(), bytes);
    return mime;
}

bool ByteTextEdit::canInsertFromMimeData(const QMimeData* source) const
{
    return !source->hasUrls() && (source->hasFormat(bytesMimeType()) || source->hasText());
}

void ByteTextEdit::insertFromMimeData(const QMimeData* source)
{
    if (isReadOnly() || !canInsertFromMimeData(source))
        return;
    const bool ours = source->hasFormat(bytesMimeType());
    QTextCursor cursor = textCursor();
    insertBytes(cursor, ours ? source->data(bytesMimeType()) : source->text().toUtf8());
    setTextCursor(cursor);
    ensureCursorVisible();
}

void ByteTextEdit::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::InsertLineSeparator)) { // Shift+Enter would insert U+2028
        textCursor().insertBlock();
        ensureCursorVisible();
        event->accept();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void ByteTextEdit::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter)
        m_highlighter->setTheme(themeOf(palette()));
}

} // namespace headscope::widgets
