// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_cache.h"

#include <QFontMetrics>
#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr qsizetype mostEntries = 8192;

} // namespace

TextCache::TextCache(const QFont& font) : m_font(font), m_height(QFontMetrics(font).height()) {}

const TextCache::Entry& TextCache::entry(const QString& text)
{
    const auto known = m_entries.constFind(text);
    if (known != m_entries.constEnd())
        return *known;
    if (m_entries.size() >= mostEntries)
        m_entries.clear();
    Entry made;
    made.width = QFontMetrics(m_font).horizontalAdvance(text);
    made.text.setText(text);
    made.text.setTextFormat(Qt::PlainText);
    made.text.setPerformanceHint(QStaticText::ModerateCaching);
    made.text.prepare({}, m_font);
    return *m_entries.insert(text, made);
}

int TextCache::width(const QString& text)
{
    return entry(text).width;
}

void TextCache::draw(QPainter& painter, const QRect& area, Qt::Alignment alignment, const QString& text)
{
    if (text.isEmpty())
        return;
    const Entry& laidOut = entry(text);
    int left = area.left();
    if (alignment & Qt::AlignRight)
        left = area.right() + 1 - laidOut.width;
    else if (alignment & Qt::AlignHCenter)
        left = area.left() + (area.width() - laidOut.width) / 2;
    int top = area.top();
    if (alignment & Qt::AlignBottom)
        top = area.bottom() + 1 - m_height;
    else if (alignment & Qt::AlignVCenter)
        top = area.top() + (area.height() - m_height) / 2;
    painter.setFont(m_font);
    if (laidOut.width <= area.width())
        return painter.drawStaticText(left, top, laidOut.text);
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.drawStaticText(left, top, laidOut.text);
    painter.restore();
}

} // namespace headscope::widgets
