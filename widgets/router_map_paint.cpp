// SPDX-License-Identifier: GPL-3.0-or-later
// RouterMap's painting. A map has some hundred cells at most, so it is painted directly.
#include "widgets/palette.h"
#include "widgets/router_map.h"
#include "widgets/router_map_key.h"
#include "widgets/router_words.h"

#include <QLocale>
#include <QPaintEvent>
#include <QPainter>

#include <cmath>

namespace headscope::widgets {

namespace {

constexpr float veil = 0.55F;

QFont smaller(QFont font)
{
    if (font.pixelSize() > 0)
        font.setPixelSize(font.pixelSize() * 4 / 5);
    else
        font.setPointSizeF(font.pointSizeF() * 0.8);
    return font;
}

/// The first of the spellings that fits, else the last one cut.
QString fitting(const QFontMetrics& metrics, const QStringList& spellings, int room)
{
    for (const QString& spelling : spellings)
        if (metrics.horizontalAdvance(spelling) <= room)
            return spelling;
    return metrics.elidedText(spellings.last(), Qt::ElideRight, room);
}

/// What stands above the numbers of layers.
QString stackWords(core::Stack stack)
{
    switch (stack) {
    case core::Stack::Encoder: return RouterMap::tr("encoder");
    case core::Stack::Decoder: return RouterMap::tr("decoder");
    case core::Stack::None: break;
    }
    return RouterMap::tr("layer");
}

} // namespace

void RouterMap::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    painter.fillRect(viewport()->rect(), theme.base);
    if (const QString words = message(); !words.isEmpty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap, words);
    } else {
        painter.translate(-scrolled());
        drawMap(painter);
        painter.resetTransform();
        if (m_stale) {
            QColor pale = theme.base;
            pale.setAlphaF(veil);
            painter.fillRect(viewport()->rect(), pale);
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.highlight, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

void RouterMap::drawMap(QPainter& painter) const
{
    const Theme theme = themeOf(palette());
    drawHeaders(painter);
    drawRowLabels(painter);
    painter.setFont(smaller(font()));
    for (std::size_t cell = 0; cell < m_grid.cells.size(); ++cell)
        drawCell(painter, cell);
    const auto outline = [&](std::size_t cell, const QColor& color, double width, double reach) {
        painter.setPen(QPen(color, width));
        painter.setBrush(Qt::NoBrush);
        const QRectF rect = QRectF(cellRect(cell).translated(scrolled())).adjusted(-reach, -reach, reach, reach);
        painter.drawRoundedRect(rect, 3, 3);
    };
    if (m_hovered)
        outline(*m_hovered, theme.hover, 1.5, 0.5);
    if (m_chosen) {
        outline(*m_chosen, theme.base, 1.5, 0.25);
        outline(*m_chosen, theme.highlight, 2.5, 1.5);
    }
}

/// Site and side above every group of columns, and the heads' numbers.
void RouterMap::drawHeaders(QPainter& painter) const
{
    const Theme theme = themeOf(palette());
    const QFontMetrics metrics(font());
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const int line = metrics.height();
    for (const auto& group : m_grid.groups) {
        const QRect header = m_layout.groupHeader(group);
        const int room = header.width() + 6;
        const QRect words(header.center().x() - room / 2, header.top(), room, line);
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(words, Qt::AlignCenter, fitting(QFontMetrics(bold), {siteWords(group.block, group.site)}, room));
        painter.setFont(font());
        painter.setPen(theme.mutedText);
        const QStringList sides = group.side == core::Side::Source
                                      ? QStringList{sideWords(group.side), tr("src")}
                                      : QStringList{sideWords(group.side), tr("dest."), tr("dst")};
        painter.drawText(words.translated(0, line), Qt::AlignCenter, fitting(metrics, sides, room));
        if (group.columns < 2)
            continue;
        drawHeadNumbers(painter, group, header.top() + 2 * line);
    }
}

/// "h0 h1 h2", or "0 1 2" or every second of them where that is too wide.
void RouterMap::drawHeadNumbers(QPainter& painter, const RouterColumnGroup& group, int top) const
{
    const QFont small = smaller(font());
    const QFontMetrics metrics(small);
    const int room = m_layout.cell(0, group.firstColumn).width() + 2;
    const QString last = QString::number(group.columns - 1);
    const bool letter = metrics.horizontalAdvance(tr("h%1", "attention head").arg(last)) + 3 <= room;
    int every = 1;
    while (!letter && metrics.horizontalAdvance(last) + 2 > every * room)
        ++every;
    painter.setFont(small);
    for (int head = 0; head < group.columns; head += every) {
        const QRect cell = m_layout.cell(0, group.firstColumn + head);
        const QString number = QString::number(head);
        painter.drawText(QRect(cell.center().x() - 20, top, 40, metrics.height() + 2), Qt::AlignCenter,
                         letter ? tr("h%1", "attention head").arg(number) : number);
    }
}

void RouterMap::drawRowLabels(QPainter& painter) const
{
    const Theme theme = themeOf(palette());
    const QFontMetrics metrics(font());
    painter.setFont(font());
    painter.setPen(theme.mutedText);
    const QRect first = m_layout.rowLabel(0);
    painter.drawText(QRect(first.left(), first.top() - metrics.height() - 4, first.width() - 6, metrics.height()),
                     Qt::AlignVCenter | Qt::AlignLeft, stackWords(m_grid.rows.front().stack));
    for (int row = 0; row < static_cast<int>(m_grid.rows.size()); ++row) {
        const auto& entry = m_grid.rows[static_cast<std::size_t>(row)];
        const QRect label = m_layout.rowLabel(row).adjusted(0, 0, -8, 0);
        const bool firstOfStack = row == 0 || m_grid.rows[static_cast<std::size_t>(row) - 1].stack != entry.stack;
        painter.setPen(theme.mutedText);
        if (firstOfStack && row > 0)
            painter.drawText(QRect(label.left(), label.top() - metrics.height() - 4, label.width(), metrics.height()),
                             Qt::AlignVCenter | Qt::AlignLeft, stackWords(entry.stack));
        painter.setPen(theme.text);
        painter.drawText(label, Qt::AlignVCenter | Qt::AlignRight, QString::number(entry.depth));
        if (entry.repeat >= 0) {
            const QChar letter(static_cast<char16_t>(u'a' + entry.repeat % 26));
            painter.setPen(theme.mutedText);
            painter.drawText(label, Qt::AlignVCenter | Qt::AlignLeft, letter);
        }
    }
}

void RouterMap::drawCell(QPainter& painter, std::size_t cell) const
{
    const QRectF rect(cellRect(cell).translated(scrolled()));
    const QColor fill = cellColor(cell);
    const QColor ink = textOn(fill);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(rect, 2, 2);
    if (m_trace->sites[m_grid.cells[cell].site]->tokens == 0)
        return;
    const double value = valueOf(cell);
    if (!m_values && m_loads[cell].dead > 0)
        drawDeadMark(painter, rect, themeOf(palette()).error);
    if (std::isnan(value))
        return;
    const QString number = value >= 0.995 ? QStringLiteral("1.0") : QLocale::c().toString(value, 'f', 2).mid(1);
    if (painter.fontMetrics().horizontalAdvance(number) + 4 > rect.width())
        return;
    painter.setPen(ink);
    painter.drawText(rect, Qt::AlignCenter, number);
}

} // namespace headscope::widgets
