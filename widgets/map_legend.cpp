// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_axes.h"
#include "widgets/number_text.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString scaleValue(double value)
{
    return QString::number(value, 'g', 3).replace(QLatin1Char('-'), QChar(0x2212));
}

std::vector<AxisTick> linearTicks(double high)
{
    const double power = std::pow(10, std::floor(std::log10(high)));
    double distance = power;
    for (const double factor : {1.0, 0.5, 0.2, 0.1})
        if (high / distance < 3.5)
            distance = power * factor;
    std::vector<AxisTick> ticks;
    for (int i = 0; i * distance < high * 0.92; ++i)
        ticks.push_back({i * distance, scaleValue(i * distance)});
    ticks.push_back({high, scaleValue(high)});
    return ticks;
}

std::vector<AxisTick> logTicks(double high)
{
    const double low = high * std::pow(10, -MapColors::logDecades);
    std::vector<AxisTick> ticks{{low, QStringLiteral("≤ ") + scaleValue(low)}};
    for (int exponent = static_cast<int>(std::ceil(std::log10(low))); std::pow(10, exponent) < high; ++exponent) {
        const double value = std::pow(10, exponent);
        if (value > low * 2 && value < high / 2)
            ticks.push_back({value, scaleValue(value)});
    }
    ticks.push_back({high, scaleValue(high)});
    return ticks;
}

/// A swatch and its meaning; returns where the next one may start, leftwards.
double swatchLeftOf(QPainter& painter, double right, const QRectF& line, const QBrush& brush, const QString& text,
                    const MapFrame& frame)
{
    const double width = std::ceil(painter.fontMetrics().horizontalAdvance(text));
    const QRectF words(right - width, line.top(), width, line.height());
    const double size = std::floor(line.height() * 0.7);
    const QRectF swatch(words.left() - 5 - size, std::floor(line.center().y() - size / 2), size, size);
    painter.fillRect(swatch, frame.theme.masked);
    painter.fillRect(swatch, brush);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme.border, 1));
    painter.drawRect(swatch.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(frame.theme.mutedText);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, text);
    return swatch.left() - 14;
}

} // namespace

std::vector<AxisTick> colorTicks(const MapColors& colors)
{
    return colors.scale == MapColors::Scale::Linear ? linearTicks(static_cast<double>(colors.high))
                                                    : logTicks(static_cast<double>(colors.high));
}

void paintColorBar(QPainter& painter, const MapFrame& frame, const MapColors& colors, const QString& title)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF area = frame.layout.colorBarBeside(frame.geometry.content());
    const QRectF ramp(area.left(), area.top(), 16, area.height());
    if (ramp.height() < 4 * metrics.height())
        return;
    for (int y = 0; y < ramp.height(); ++y) {
        const auto place = static_cast<std::size_t>(std::lround(255 * (1 - y / (ramp.height() - 1))));
        painter.fillRect(QRectF(ramp.left(), ramp.top() + y, ramp.width(), 1),
                         QColor(colors.ramp[std::min<std::size_t>(place, 255)]));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme.border, 1));
    painter.drawRect(ramp.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(frame.theme.mutedText);
    const double line = metrics.height();
    for (const AxisTick& tick : colorTicks(colors)) {
        const double y = ramp.bottom() - ramp.height() * static_cast<double>(colors.place(static_cast<float>(tick.value)));
        painter.drawLine(QPointF(ramp.right() + 1, y), QPointF(ramp.right() + 4, y));
        const double top = std::clamp(y - line / 2, ramp.top() - line / 4, ramp.bottom() - line * 3 / 4);
        painter.drawText(QRectF(ramp.right() + 6, top, area.right() - ramp.right(), line), Qt::AlignLeft | Qt::AlignVCenter,
                         tick.text);
    }
    const QStringList lines = title.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i)
        painter.drawText(
            QRectF(area.left(), ramp.top() - 5 - static_cast<double>(lines.size() - i) * line, area.width(), line),
            Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
}

void paintFooter(QPainter& painter, const MapFrame& frame, const MapColors& colors, const QString& badge)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF& line = frame.layout.footer;
    double right = line.right();
    const core::Visibility& visibility = frame.scene.block->visibility;
    if (frame.scene.choices.expert) {
        const QBrush stripes(QColor(colors.blank), Qt::BDiagPattern);
        right = swatchLeftOf(painter, right, line, stripes, QStringLiteral("expert not chosen"), frame);
    }
    if (visibility.causal || visibility.segment > 0) {
        const QString text =
            visibility.segment > 0 ? QStringLiteral("not visible to the query") : QStringLiteral("after the query");
        right = swatchLeftOf(painter, right, line, QColor(colors.masked), text, frame);
    }
    const QRectF place(line.left(), line.top(), right - line.left(), line.height());
    painter.setPen(frame.theme.mutedText);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(badge, Qt::ElideRight, place.width()));
}

} // namespace headscope::widgets
