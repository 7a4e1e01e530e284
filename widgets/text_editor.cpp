// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_editor.h"

#include "widgets/byte_text_edit.h"
#include "widgets/number_text.h"
#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QLabel>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

/// Where a range of an old text is in a new one: moved along with an edit before it, gone when the edit touched it.
std::optional<core::ByteRange> movedAlong(core::ByteRange range, const QByteArray& before, const QByteArray& after)
{
    const auto shorter = std::min(before.size(), after.size());
    const auto same = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
    const auto front = static_cast<std::size_t>(same.first - before.begin());
    const auto room = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(shorter) - front);
    const auto sameEnd = std::mismatch(before.rbegin(), before.rbegin() + room, after.rbegin());
    const auto back = static_cast<std::size_t>(sameEnd.first - before.rbegin());
    if (range.end <= front)
        return range;
    if (range.begin + back < static_cast<std::size_t>(before.size()))
        return std::nullopt;
    const auto grown = after.size() - before.size();
    const auto move = [grown](std::size_t place) { return static_cast<std::size_t>(static_cast<qsizetype>(place) + grown); };
    return core::ByteRange{move(range.begin), move(range.end)};
}

} // namespace

TextEditor::TextEditor(QWidget* parent) : QWidget(parent), m_notice(new QLabel(this)), m_edit(new ByteTextEdit(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_edit);
    m_notice->setWordWrap(true);
    m_notice->setMargin(6);
    m_notice->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_notice->hide();
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->document()->setDocumentMargin(8);
    m_edit->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // lines wrap anywhere
    m_edit->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    m_edit->setPlaceholderText(tr("Type or paste a text"));
    m_edit->setAccessibleName(tr("Text"));
    setFocusProxy(m_edit);
    m_content = DocumentBytes(*m_edit->document());
    m_caret.revision = m_edit->document()->revision();

    connect(m_edit, &QPlainTextEdit::textChanged, this, &TextEditor::onContentsChanged);
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this, &TextEditor::onCursorChanged);
    connect(m_edit, &QPlainTextEdit::selectionChanged, this, &TextEditor::onCursorChanged);
    connect(m_notice, &QLabel::linkActivated, this,
            [this](const QString& link) { link == QStringLiteral("keep") ? keepShownPart() : clear(); });
}

std::optional<std::size_t> TextEditor::caretByte() const
{
    const qsizetype caret = byteAt(m_edit->textCursor().position());
    return caret > 0 ? std::optional(static_cast<std::size_t>(caret - 1)) : std::nullopt;
}

QPlainTextEdit* TextEditor::edit() const
{
    return m_edit;
}

void TextEditor::setBytes(const QByteArray& bytes)
{
    if (bytes == m_content.bytes())
        return;
    auto* document = m_edit->document();
    document->setUndoRedoEnabled(false);
    QTextCursor cursor(document);
    cursor.select(QTextCursor::Document);
    insertBytes(cursor, bytes);
    document->setUndoRedoEnabled(true);
    m_choosing = true; // the caret goes to the start: nothing to tell
    m_edit->moveCursor(QTextCursor::Start);
    m_choosing = false;
}

void TextEditor::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    if (selection)
        connect(selection, &Selection::changed, this, &TextEditor::onSelectionChanged);
    updateTints();
}

void TextEditor::setStream(int stream)
{
    m_stream = stream;
    updateTints();
}

qsizetype TextEditor::byteAt(int position) const
{
    return m_content.byteAt(*m_edit->document(), position);
}

int TextEditor::positionAt(qsizetype byte, DocumentBytes::Round round) const
{
    return m_content.positionAt(*m_edit->document(), byte, round);
}

void TextEditor::onContentsChanged()
{
    const QByteArray before = m_content.bytes();
    m_content = DocumentBytes(*m_edit->document());
    foldLongLines();
    updateNotice();
    if (m_content.bytes() == before) {
        m_caret.revision = m_edit->document()->revision(); // only the looks: what the caret does next is no typing
        return;
    }
    moveSelectionAlong(before);
    updateTints();
    Q_EMIT bytesChanged();
}

/// Typing and pasting may join what was short.
void TextEditor::foldLongLines()
{
    for (QTextBlock line = m_edit->document()->begin(); line.isValid(); line = line.next()) {
        if (line.length() <= longestLine)
            continue;
        const QSignalBlocker quiet(m_edit);
        foldLine(line);
        m_content = DocumentBytes(*m_edit->document());
    }
}

void TextEditor::updateNotice()
{
    const auto& folds = m_content.folds();
    m_notice->setVisible(!folds.empty());
    if (folds.empty())
        return;
    qsizetype hidden = 0;
    for (const auto& fold : folds)
        hidden += fold.bytes;
    const QString what = folds.size() == 1 ? tr("A line is too long to edit here: ⋯ stands for %1 bytes of it, which are "
                                                "read and copied as if they were shown.")
                                           : tr("%1 lines are too long to edit here: ⋯ stands for the middle of each, %2 "
                                                "bytes together, which are read and copied "
                                                "as if they were shown.")
                                                 .arg(folds.size());
    const QString links =
        QStringLiteral("<a href=\"keep\">%1</a> · <a href=\"clear\">%2</a>").arg(tr("Edit only what is shown"), tr("Clear"));
    m_notice->setText(what.arg(countText(hidden)) + QLatin1Char(' ') + links);
}

void TextEditor::keepShownPart()
{
    QTextCursor cursor(m_edit->document());
    cursor.beginEditBlock();
    const auto folds = m_content.folds();
    for (auto fold = folds.rbegin(); fold != folds.rend(); ++fold) {
        cursor.setPosition(fold->position);
        cursor.deleteChar();
    }
    cursor.endEditBlock();
    m_edit->setFocus();
}

void TextEditor::clear()
{
    QTextCursor cursor(m_edit->document());
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
    m_edit->setFocus();
}

// ---- the shared selection

void TextEditor::write(std::optional<core::ByteRange> bytes)
{
    auto state = m_selection->state();
    state.bytes = bytes;
    state.stream = m_stream;
    m_choosing = true;
    m_selection->setState(state);
    m_choosing = false;
}

void TextEditor::onCursorChanged()
{
    const QTextCursor cursor = m_edit->textCursor();
    const Caret caret{m_edit->document()->revision(), cursor.position(), cursor.anchor()};
    const bool moved = caret.revision == m_caret.revision && caret != m_caret; // else it went along with an edit
    m_caret = caret;
    if (!m_selection || m_choosing || !moved)
        return;
    const auto begin = static_cast<std::size_t>(byteAt(cursor.selectionStart()));
    const auto end = static_cast<std::size_t>(byteAt(cursor.selectionEnd()));
    write(core::ByteRange{begin, end});
}

void TextEditor::onSelectionChanged(Selection::Fields what)
{
    using Field = Selection::Field;
    if (!(what & (Field::Bytes | Field::Hover | Field::Stream)))
        return;
    const bool foreign = !m_choosing && (what & (Field::Bytes | Field::Stream));
    if (foreign && m_edit->textCursor().hasSelection()) {
        QTextCursor cursor = m_edit->textCursor();
        cursor.clearSelection();
        m_choosing = true; // the caret stays: nothing to tell
        m_edit->setTextCursor(cursor);
        m_choosing = false;
    }
    updateTints();
    if (foreign && m_tinted)
        scrollTo(positionAt(static_cast<qsizetype>(m_tinted->begin), DocumentBytes::Round::Down));
}

void TextEditor::moveSelectionAlong(const QByteArray& before)
{
    if (!m_selection || m_selection->state().stream != m_stream)
        return;
    auto state = m_selection->state();
    if (state.bytes)
        state.bytes = state.bytes->empty() ? std::nullopt : movedAlong(*state.bytes, before, m_content.bytes());
    state.hover.reset();
    m_choosing = true;
    m_selection->setState(state);
    m_choosing = false;
}

void TextEditor::updateTints()
{
    m_tinted.reset();
    QList<QTextEdit::ExtraSelection> tints;
    const auto tint = [&](core::ByteRange range, const QColor& color) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(m_edit->document());
        selection.cursor.setPosition(positionAt(static_cast<qsizetype>(range.begin), DocumentBytes::Round::Down));
        selection.cursor.setPosition(positionAt(static_cast<qsizetype>(range.end), DocumentBytes::Round::Up),
                                     QTextCursor::KeepAnchor);
        selection.format.setBackground(color);
        tints.append(selection);
    };
    const Theme theme = themeOf(palette());
    if (m_selection && m_selection->state().stream == m_stream) {
        const auto& state = m_selection->state();
        if (state.bytes && !state.bytes->empty() && !m_edit->textCursor().hasSelection()) {
            m_tinted = state.bytes;
            tint(*state.bytes, mix(theme.base, theme.highlight, 0.3));
        }
        if (state.hover && !state.hover->empty())
            tint(*state.hover, mix(theme.base, theme.hover, 0.2));
    }
    m_edit->setExtraSelections(tints);
}

/// Shows a position without moving the caret.
void TextEditor::scrollTo(int position)
{
    const QTextBlock block = m_edit->document()->findBlock(position);
    QTextCursor cursor(block);
    cursor.setPosition(position);
    const QRect caret = m_edit->cursorRect(cursor);
    if (m_edit->viewport()->rect().contains(caret))
        return;
    const QTextLine line = block.layout()->lineForTextPosition(position - block.position());
    const int above = block.firstLineNumber() + (line.isValid() ? line.lineNumber() : 0);
    m_edit->verticalScrollBar()->setValue(std::max(0, above - 1));
}

void TextEditor::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateTints();
}

} // namespace headscope::widgets
