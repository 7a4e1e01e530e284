// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/selection.h"
#include "widgets/text_bytes.h"

#include <QByteArray>
#include <QPointer>
#include <QWidget>

#include <optional>

class QLabel;
class QPlainTextEdit;

namespace headscope::widgets {

class ByteTextEdit;

/// Where the text of one stream is written. The text is bytes: what bytes() gives is exactly what setBytes, pasting and
/// typing put in, whatever characters those are. Long lines are folded (text_bytes.h), which a sentence above the text says.
///
/// Selecting text selects its tokens in every view; a caret alone selects the token behind it, unless it moved by typing.
/// What other views select or point at is tinted here. Editing moves a selected range along, or drops it when it is edited
/// itself.
class TextEditor : public QWidget
{
    Q_OBJECT

public:
    explicit TextEditor(QWidget* parent = nullptr);

    /// Replaces the text and forgets the steps of undo.
    void setBytes(const QByteArray& bytes);
    const QByteArray& bytes() const { return m_content.bytes(); }

    void setSelection(Selection* selection);
    /// The stream this text is of; 0 unless a model has several.
    void setStream(int stream);

    qsizetype byteAt(int position) const;
    int positionAt(qsizetype byte, DocumentBytes::Round round) const;
    QPlainTextEdit* edit() const;
    /// The byte in front of the caret; nothing at the beginning.
    std::optional<std::size_t> caretByte() const;
    /// Bytes that other views have selected and that are tinted here.
    std::optional<core::ByteRange> tinted() const { return m_tinted; }

Q_SIGNALS:
    void bytesChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    void onContentsChanged();
    void onCursorChanged();
    void onSelectionChanged(Selection::Fields what);
    void foldLongLines();
    void updateNotice();
    void updateTints();
    void moveSelectionAlong(const QByteArray& before);
    void write(std::optional<core::ByteRange> bytes);
    void scrollTo(int position);
    void keepShownPart();
    void clear();

    QLabel* m_notice = nullptr; // about folded lines
    ByteTextEdit* m_edit = nullptr;
    DocumentBytes m_content;
    QPointer<Selection> m_selection;
    int m_stream = 0;
    std::optional<core::ByteRange> m_tinted;
    bool m_choosing = false; // this view is writing the selection

    struct Caret { // and the document it was last seen in
        int revision = 0;
        int position = 0;
        int anchor = 0;

        bool operator==(const Caret&) const = default;
    };
    Caret m_caret;
};

} // namespace headscope::widgets
