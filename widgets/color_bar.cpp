// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/color_bar.h"

#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int barHeight = 10;
constexpr int gap = 3;

QString valueText(double value)
{
    return QLocale::c().toString(value, 'g', 3);
}

void drawRamp(QPainter& painter, const QRectF& ramp, ColorScale scale, const Theme& theme)
{
    const int steps = std::max(1, static_cast<int>(std::ceil(ramp.width())));
    for (int step = 0; step < steps; ++step) {
        const double left = ramp.left() + ramp.width() * step / steps;
        const double right = ramp.left() + ramp.width() * (step + 1) / steps;
        painter.fillRect(QRectF(left, ramp.top(), right - left, ramp.height()),
                         scaleColor(scale, (step + 0.5) / steps, theme));
    }
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(ramp.adjusted(-0.5, -0.5, 0.5, 0.5));
}

} // namespace

int colorBarHeight(const QFont& font)
{
    return 2 * QFontMetrics(font).height() + barHeight + 2 * gap;
}

void drawColorBar(QPainter& painter, const QRectF& area, const ColorBar& bar, const Theme& theme)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF title(area.left(), area.top(), area.width(), metrics.height());
    const QRectF ramp(area.left() + 1, title.bottom() + gap, area.width() - 2, barHeight);
    const QRectF values(area.left(), ramp.bottom() + gap, area.width(), metrics.height());

    painter.save();
    drawRamp(painter, ramp, bar.scale, theme);
    painter.setPen(theme.mutedText);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(bar.title, Qt::ElideRight, title.width()));
    painter.drawText(values, Qt::AlignLeft | Qt::AlignVCenter, valueText(bar.low));
    painter.drawText(values, Qt::AlignHCenter | Qt::AlignVCenter, valueText((bar.low + bar.high) / 2));
    painter.drawText(values, Qt::AlignRight | Qt::AlignVCenter, valueText(bar.high));
    painter.restore();
}

} // namespace headscope::widgets
