// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_axes.h"

#include "widgets/number_text.h"
#include "widgets/palette.h"
#include "widgets/visible_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace headscope::widgets {

void drawUpwards(QPainter& painter, const QRectF& area, Qt::Alignment alignment, const QString& text)
{
    painter.save();
    painter.translate(area.left(), area.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, area.height(), area.width()), static_cast<int>(alignment) | Qt::TextSingleLine, text);
    painter.restore();
}

namespace {

QString axisTitle(const QString& words, const AxisChoices& choices)
{
    if (!choices)
        return words;
    return words + QStringLiteral("  ·  experts of ") + siteName(choices);
}

void paintTitles(QPainter& painter, const MapFrame& frame)
{
    const QFontMetricsF metrics(painter.font());
    const QString rows = axisTitle(QStringLiteral("queries (destination)"), frame.scene.choices.rows);
    const QString columns = axisTitle(QStringLiteral("keys (source)"), frame.scene.choices.columns);
    painter.setPen(frame.theme.mutedText);
    const QRectF& rowTitle = frame.layout.rowTitle;
    drawUpwards(painter, rowTitle, Qt::AlignRight | Qt::AlignVCenter,
                metrics.elidedText(rows, Qt::ElideRight, rowTitle.height()));
    const QRectF& columnTitle = frame.layout.columnTitle;
    painter.drawText(columnTitle, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(columns, Qt::ElideRight, columnTitle.width()));
}

void paintTokenLabels(QPainter& painter, const MapFrame& frame, const QFont& font)
{
    const MapRange range = frame.geometry.visible();
    const QFontMetricsF metrics(font);
    painter.save();
    painter.setFont(font);
    painter.setPen(frame.theme.text);
    painter.setClipRect(frame.layout.rowLabels);
    for (std::int64_t row = range.rowBegin; row < range.rowEnd; ++row) {
        QRectF area = frame.layout.rowLabels;
        area.setTop(frame.geometry.cellRect({row, 0}).top());
        area.setHeight(frame.geometry.cell);
        const QString text = visiblePiece(frame.scene.rowTokens()[static_cast<std::size_t>(row)]);
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(text, Qt::ElideMiddle, area.width()));
    }
    painter.setClipRect(frame.layout.columnLabels);
    for (std::int64_t column = range.columnBegin; column < range.columnEnd; ++column) {
        QRectF area = frame.layout.columnLabels;
        area.setLeft(frame.geometry.cellRect({0, column}).left());
        area.setWidth(frame.geometry.cell);
        const QString text = visiblePiece(frame.scene.columnTokens()[static_cast<std::size_t>(column)]);
        drawUpwards(painter, area, Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(text, Qt::ElideMiddle, area.height()));
    }
    painter.restore();
}

void paintIndexTicks(QPainter& painter, const MapFrame& frame, const QFontMetricsF& metrics)
{
    const MapRange range = frame.geometry.visible();
    const MapGeometry& geometry = frame.geometry;
    painter.setPen(frame.theme.mutedText);
    const double line = metrics.height();
    for (const AxisTick& tick : indexTicks(range.rowBegin, range.rowEnd, 2.5 * line / geometry.cell)) {
        const double y = geometry.toPixel({0, tick.value}).y();
        const QRectF& labels = frame.layout.rowLabels;
        painter.drawLine(QPointF(labels.right() - 4, y), QPointF(labels.right(), y));
        const double top = std::max(y - line / 2, labels.top() - line / 4);
        painter.drawText(QRectF(labels.left(), top, labels.width() - 7, line), Qt::AlignRight | Qt::AlignVCenter, tick.text);
    }
    for (const AxisTick& tick : indexTicks(range.columnBegin, range.columnEnd, 5 * line / geometry.cell)) {
        const double x = geometry.toPixel({tick.value, 0}).x();
        const QRectF& labels = frame.layout.columnLabels;
        painter.drawLine(QPointF(x, labels.bottom() - 4), QPointF(x, labels.bottom()));
        const double left = std::max(x - 30, labels.left() - 2);
        const auto alignment = left > x - 30 ? Qt::AlignLeft : Qt::AlignHCenter;
        painter.drawText(QRectF(left, labels.bottom() - 6 - line, 60, line), alignment | Qt::AlignVCenter, tick.text);
    }
}

/// Paints chosen experts; those that the map does not stand for stay faint. Colours are mixed once for each expert and
/// strength.
class ChoicePainter
{
public:
    ChoicePainter(QPainter& painter, const Theme& theme) : m_painter(painter), m_theme(theme), m_metrics(painter.font()) {}

    void paint(const QRectF& area, const ChosenExpert& chosen, bool own)
    {
        const QColor color = colorOf(chosen.expert, own ? chosen.gate : 0.0F);
        m_painter.fillRect(area, color);
        if (area.height() < m_metrics.ascent())
            return;
        const QString number = QString::number(chosen.expert);
        if (area.width() < m_metrics.horizontalAdvance(number) + 2)
            return;
        m_painter.setPen(own ? textOn(color) : m_theme.mutedText);
        m_painter.drawText(area, Qt::AlignCenter | Qt::TextSingleLine, number);
    }

private:
    QColor colorOf(int expert, float gate)
    {
        constexpr int levels = 64; // finer than an eye tells apart
        const int level = std::isnan(gate) ? 0 : static_cast<int>(std::lround(std::clamp(gate, 0.0F, 1.0F) * levels));
        const auto [found, isNew] = m_colors.try_emplace(expert * (levels + 1) + level);
        if (isNew)
            found->second = expertColor(expert, static_cast<double>(level) / levels, m_theme);
        return found->second;
    }

    QPainter& m_painter;
    const Theme& m_theme;
    QFontMetricsF m_metrics;
    std::unordered_map<int, QColor> m_colors;
};

bool isOwn(const MapChoices& choices, int slot, const ChosenExpert& chosen)
{
    return !choices.ofOneChoice() || (choices.slot ? *choices.slot == slot : *choices.expert == chosen.expert);
}

/// Calls draw(token, begin, extent) for what an axis shows: each value, or each pixel's sampled value where values are
/// smaller than pixels.
template <typename Draw>
void alongAxis(double plotBegin, double plotEnd, double origin, double cell, AxisRange range, std::int64_t step,
               const Draw& draw)
{
    if (cell >= 1) {
        for (std::int64_t token = range.begin; token < range.end; ++token)
            draw(token, plotBegin + (static_cast<double>(token) - origin) * cell, cell);
        return;
    }
    for (double pixel = plotBegin; pixel < plotEnd; ++pixel) {
        const auto token = static_cast<std::int64_t>(origin + (pixel + 0.5 - plotBegin) / cell) / step * step;
        if (token < range.end)
            draw(token, pixel, 1.0);
    }
}

void paintRowStrip(QPainter& painter, const MapFrame& frame)
{
    const AxisChoices& rows = frame.scene.choices.rows;
    const MapGeometry& geometry = frame.geometry;
    const MapRange range = geometry.visible();
    ChoicePainter choices(painter, frame.theme);
    painter.setClipRect(frame.layout.rowStrip);
    alongAxis(geometry.plot.top(), geometry.content().bottom(), geometry.origin.y(), geometry.cell,
              {range.rowBegin, range.rowEnd}, frame.step, [&](std::int64_t row, double top, double height) {
                  for (int slot = 0; slot < rows.slots() && row < rows.site->tokens; ++slot) {
                      const ChosenExpert chosen = rows.at(row, slot);
                      choices.paint(frame.layout.rowSlot(slot, rows.slots(), top, height), chosen,
                                    isOwn(frame.scene.choices, slot, chosen));
                  }
              });
}

void paintColumnStrip(QPainter& painter, const MapFrame& frame)
{
    const AxisChoices& columns = frame.scene.choices.columns;
    const MapGeometry& geometry = frame.geometry;
    const MapRange range = geometry.visible();
    ChoicePainter choices(painter, frame.theme);
    painter.setClipRect(frame.layout.columnStrip);
    alongAxis(geometry.plot.left(), geometry.content().right(), geometry.origin.x(), geometry.cell,
              {range.columnBegin, range.columnEnd}, frame.step, [&](std::int64_t column, double left, double width) {
                  for (int slot = 0; slot < columns.slots() && column < columns.site->tokens; ++slot)
                      choices.paint(frame.layout.columnSlot(slot, columns.slots(), left, width), columns.at(column, slot),
                                    true);
              });
}

/// Thin lines between cells that are large enough to be told apart with them.
void paintGrid(QPainter& painter, const MapFrame& frame)
{
    const MapGeometry& geometry = frame.geometry;
    if (geometry.cell < 10)
        return;
    QColor color = frame.theme.base;
    color.setAlphaF(0.25F);
    painter.setPen(QPen(color, 1));
    const MapRange range = geometry.visible();
    const QRectF content = geometry.content();
    for (std::int64_t row = range.rowBegin + 1; row < range.rowEnd; ++row) {
        const double y = std::round(geometry.cellRect({row, 0}).top()) - 0.5;
        painter.drawLine(QPointF(content.left(), y), QPointF(content.right(), y));
    }
    for (std::int64_t column = range.columnBegin + 1; column < range.columnEnd; ++column) {
        const double x = std::round(geometry.cellRect({0, column}).left()) - 0.5;
        painter.drawLine(QPointF(x, content.top()), QPointF(x, content.bottom()));
    }
}

} // namespace

std::vector<AxisTick> indexTicks(std::int64_t begin, std::int64_t end, double apart)
{
    std::int64_t distance = 1;
    for (std::int64_t power = 1; static_cast<double>(distance) < apart; power *= 10)
        for (const std::int64_t factor : {1, 2, 5})
            if (static_cast<double>(distance) < apart)
                distance = factor * power;
    std::vector<AxisTick> ticks;
    for (std::int64_t value = (begin + distance - 1) / distance * distance; value < end; value += distance)
        ticks.push_back({static_cast<double>(value), countText(value)});
    return ticks;
}

QString samplingText(std::int64_t step)
{
    if (step == 1)
        return QStringLiteral("exact values");
    const bool teen = step % 100 / 10 == 1;
    const QString suffix = !teen && step % 10 == 2 ? QStringLiteral("nd") : QStringLiteral("th");
    return QStringLiteral("every ") + countText(step) + suffix + QStringLiteral(" row and column, exact values");
}

std::optional<QFont> labelFont(const QFont& usual, double cell)
{
    if (cell >= QFontMetricsF(usual).height() * 0.92)
        return usual;
    constexpr double smallest = 10; // pixels of a line that can still be read
    if (cell < smallest)
        return std::nullopt;
    QFont font = usual;
    font.setPixelSize(static_cast<int>(cell * 0.9));
    return font;
}

void paintAxes(QPainter& painter, const MapFrame& frame)
{
    const QFontMetricsF metrics(painter.font());
    painter.save();
    paintTitles(painter, frame);
    const auto font = labelFont(painter.font(), frame.geometry.cell);
    if (font && frame.layout.labels == AxisLabels::Tokens)
        paintTokenLabels(painter, frame, *font);
    else
        paintIndexTicks(painter, frame, metrics);
    painter.save();
    if (font)
        painter.setFont(*font);
    paintRowStrip(painter, frame);
    paintColumnStrip(painter, frame);
    painter.restore();
    paintGrid(painter, frame);
    painter.setPen(QPen(frame.theme.border, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.geometry.content().adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.restore();
}

} // namespace headscope::widgets
