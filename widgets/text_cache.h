// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QHash>
#include <QStaticText>
#include <QString>

class QPainter;

namespace headscope::widgets {

/// Short texts in one font, laid out once: measuring and drawing them again takes a tenth of the time. Holds a bounded number.
class TextCache
{
public:
    explicit TextCache(const QFont& font = {});

    const QFont& font() const { return m_font; }
    int height() const { return m_height; }
    /// Horizontal advance in pixels.
    int width(const QString& text);
    /// On one line, aligned in the area, cut where it is wider. The painter's pen colours it; its font is this one afterwards.
    void draw(QPainter& painter, const QRect& area, Qt::Alignment alignment, const QString& text);

private:
    struct Entry {
        QStaticText text;
        int width = 0;
    };
    const Entry& entry(const QString& text);

    QFont m_font;
    int m_height = 0;
    QHash<QString, Entry> m_entries;
};

/// Texts of a view in its font and, emphasised, in bold.
class TextCaches
{
public:
    TextCache& in(QFont font, bool bold)
    {
        font.setBold(bold);
        TextCache& texts = bold ? m_bold : m_plain;
        if (texts.font() != font)
            texts = TextCache(font);
        return texts;
    }

private:
    TextCache m_plain;
    TextCache m_bold;
};

} // namespace headscope::widgets
