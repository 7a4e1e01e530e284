// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace headscope::widgets {

/// A QPlainTextEdit for text_bytes.h: copy, cut, paste and drop carry bytes as they are, typing never takes over the bytes
/// of a sign. Files dropped on it are left to the window.
class ByteTextEdit : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit ByteTextEdit(QWidget* parent = nullptr);

    /// What copying carries besides text: the bytes, also where they are no UTF-8.
    static QString bytesMimeType();

protected:
    QMimeData* createMimeDataFromSelection() const override;
    bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void leaveSignFormat();

    class SignHighlighter* m_highlighter = nullptr;
};

} // namespace headscope::widgets
