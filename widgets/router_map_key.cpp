// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_map_key.h"

#include "widgets/color_bar.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace headscope::widgets {

namespace {
constexpr int margin = 8;
constexpr int longestBar = 260;
} // namespace

void drawDeadMark(QPainter& painter, const QRectF& cell, const QColor& color)
{
    const double side = std::min({8.0, cell.height() * 0.45, cell.width() * 0.6});
    QPainterPath corner(cell.topRight());
    corner.lineTo(cell.topRight() + QPointF(-side, 0));
    corner.lineTo(cell.topRight() + QPointF(0, side));
    corner.closeSubpath();
    painter.fillPath(corner, color);
}

RouterMapKey::RouterMapKey(QWidget* parent) : QWidget(parent) {}

void RouterMapKey::setContents(const Contents& contents)
{
    if (contents == m_contents)
        return;
    m_contents = contents;
    updateGeometry();
    update();
}

QSize RouterMapKey::sizeHint() const
{
    const int lines = (m_contents.dead ? 1 : 0) + (m_contents.repeats ? 1 : 0);
    return {160, colorBarHeight(font()) + lines * (fontMetrics().height() + 2) + margin + 4};
}

void RouterMapKey::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    painter.fillRect(rect(), theme.base);
    painter.fillRect(QRect(0, 0, width(), 1), theme.grid);
    const QRectF bar(margin, 4, std::min(width() - 2 * margin, longestBar), colorBarHeight(font()));
    drawColorBar(painter, bar, {ColorScale::Sequential, m_contents.low, m_contents.high, m_contents.title}, theme);

    int y = static_cast<int>(bar.bottom()) + 2;
    const int lineHeight = fontMetrics().height();
    const auto writeLine = [&](int left, const QString& text) {
        painter.setPen(theme.mutedText);
        const int room = width() - margin - left;
        painter.drawText(QRect(left, y, room, lineHeight), Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(text, Qt::ElideRight, room));
        y += lineHeight + 2;
    };
    if (m_contents.dead) {
        const QRectF sample(margin, y + 2, 12, lineHeight - 4);
        painter.fillRect(sample, theme.masked);
        drawDeadMark(painter, sample, theme.error);
        writeLine(margin + 18, tr("has experts never chosen"));
    }
    if (m_contents.repeats)
        writeLine(margin, tr("a, b …: same weights"));
}

} // namespace headscope::widgets
