// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_axes.h"
#include "widgets/visible_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

struct Colors {
    QColor line; // invalid: only the label
    QColor box;
    QColor text;
};

/// The pixels of a range of rows inside the plot; at least one pixel high. Empty when it is off screen.
QRectF rowBand(const MapFrame& frame, AxisRange rows)
{
    const MapGeometry& geometry = frame.geometry;
    if (rows.empty())
        return {};
    const double top = geometry.toPixel({0, static_cast<double>(rows.begin)}).y();
    const double height = std::max(1.0, static_cast<double>(rows.end - rows.begin) * geometry.cell);
    const QRectF content = geometry.content();
    return QRectF(content.left(), top, content.width(), height).intersected(content);
}

QRectF columnBand(const MapFrame& frame, AxisRange columns)
{
    const MapGeometry& geometry = frame.geometry;
    if (columns.empty())
        return {};
    const double left = geometry.toPixel({static_cast<double>(columns.begin), 0}).x();
    const double width = std::max(1.0, static_cast<double>(columns.end - columns.begin) * geometry.cell);
    const QRectF content = geometry.content();
    return QRectF(left, content.top(), width, content.height()).intersected(content);
}

/// The label beside a band: as high as the band or the text, inside the label area.
QRectF rowLabelBox(const MapFrame& frame, const QRectF& band, const QFontMetricsF& metrics)
{
    if (band.isEmpty())
        return {};
    const QRectF& labels = frame.layout.rowLabels;
    const double height = std::max(band.height(), metrics.height());
    const double top =
        std::clamp(band.center().y() - height / 2, labels.top() - 2, std::max(labels.top(), labels.bottom() - height));
    return {labels.left(), top, labels.width() + 2, height};
}

QString rangeText(const std::vector<core::Token>& tokens, AxisRange range)
{
    const QString first = visiblePiece(tokens[static_cast<std::size_t>(range.begin)]);
    return range.end - range.begin == 1 ? first : first + QStringLiteral(" …");
}

/// Upright among token labels, lying where the axis has indices.
QRectF columnLabelBox(const MapFrame& frame, AxisRange columns, const QFontMetricsF& metrics)
{
    const QRectF band = columnBand(frame, columns);
    if (band.isEmpty())
        return {};
    const QRectF& labels = frame.layout.columnLabels;
    double width = std::max(band.width(), metrics.height());
    if (frame.layout.labels == AxisLabels::Indices)
        width = std::min(metrics.horizontalAdvance(rangeText(frame.scene.columnTokens(), columns)) + 8, 120.0);
    const double left =
        std::clamp(band.center().x() - width / 2, labels.left() - 2, std::max(labels.left(), labels.right() - width));
    return {left, labels.top(), width, labels.height() + 2};
}

/// Labels lie one under the other where each has room, else one text stands for the range.
template <typename DrawText>
void eachLabel(AxisRange range, AxisRange visible, bool room, const DrawText& draw)
{
    if (!room) {
        draw(range);
        return;
    }
    for (std::int64_t token = std::max(range.begin, visible.begin); token < std::min(range.end, visible.end); ++token)
        draw(AxisRange{token, token + 1});
}

void paintRows(QPainter& painter, const MapFrame& frame, AxisRange rows, const Colors& colors)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF band = rowBand(frame, rows);
    if (band.isEmpty())
        return;
    if (colors.line.isValid()) {
        painter.setPen(QPen(colors.line, 1));
        painter.drawLine(band.topLeft(), band.topRight());
        if (band.height() > 2)
            painter.drawLine(band.bottomLeft(), band.bottomRight());
    }
    const MapRange visible = frame.geometry.visible();
    const bool room = frame.layout.labels == AxisLabels::Tokens;
    eachLabel(rows, {visible.rowBegin, visible.rowEnd}, room, [&](AxisRange part) {
        const QRectF box = rowLabelBox(frame, rowBand(frame, part), metrics);
        painter.fillRect(box, colors.box);
        painter.setPen(colors.text);
        const QRectF text = box.adjusted(2, 0, -2, 0);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(rangeText(frame.scene.rowTokens(), part), Qt::ElideMiddle, text.width()));
    });
}

void paintColumns(QPainter& painter, const MapFrame& frame, AxisRange columns, const Colors& colors)
{
    const QFontMetricsF metrics(painter.font());
    const QRectF band = columnBand(frame, columns);
    if (band.isEmpty())
        return;
    if (colors.line.isValid()) {
        painter.setPen(QPen(colors.line, 1));
        painter.drawLine(band.topLeft(), band.bottomLeft());
        if (band.width() > 2)
            painter.drawLine(band.topRight(), band.bottomRight());
    }
    const MapRange visible = frame.geometry.visible();
    const bool room = frame.layout.labels == AxisLabels::Tokens;
    eachLabel(columns, {visible.columnBegin, visible.columnEnd}, room, [&](AxisRange part) {
        const QRectF box = columnLabelBox(frame, part, metrics);
        const QString text = rangeText(frame.scene.columnTokens(), part);
        painter.fillRect(box, colors.box);
        painter.setPen(colors.text);
        if (room)
            drawUpwards(painter, box.adjusted(0, 2, 0, -2), Qt::AlignLeft | Qt::AlignVCenter,
                        metrics.elidedText(text, Qt::ElideMiddle, box.height() - 4));
        else
            painter.drawText(box.adjusted(4, 0, -4, 0), Qt::AlignCenter | Qt::TextSingleLine,
                             metrics.elidedText(text, Qt::ElideMiddle, box.width() - 8));
    });
}

/// The square that a sampled value fills.
QRectF cellBox(const MapFrame& frame, MapCell cell)
{
    const QRectF rect(frame.geometry.cellRect(cell).topLeft(),
                      QSizeF(frame.geometry.cell, frame.geometry.cell) * frame.step);
    return rect.intersects(frame.geometry.content()) ? rect : QRectF();
}

void paintCell(QPainter& painter, const MapFrame& frame, MapCell cell, const QColor& color, double width)
{
    const QRectF box = cellBox(frame, cell);
    if (box.isNull())
        return;
    const double outside = 0.5 + width / 2;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame.theme.base, width + 2)); // a rim that shows on any colour
    painter.drawRect(box.adjusted(-outside, -outside, outside, outside));
    painter.setPen(QPen(color, width));
    painter.drawRect(box.adjusted(-outside, -outside, outside, outside));
}

} // namespace

void paintHighlights(QPainter& painter, const MapFrame& frame, const MapHighlights& highlights)
{
    const Theme& theme = frame.theme;
    const Colors selected{theme.highlight, theme.highlight, theme.highlightText};
    const Colors hovered{theme.hover, theme.hover, theme.base};
    const Colors named{QColor(), theme.base, theme.highlight};
    painter.save();
    if (highlights.cell)
        paintColumns(painter, frame, {highlights.cell->column, highlights.cell->column + 1}, named);
    paintRows(painter, frame, highlights.selectedRows, selected);
    paintColumns(painter, frame, highlights.selectedColumns, selected);
    paintRows(painter, frame, highlights.hoverRows, hovered);
    paintColumns(painter, frame, highlights.hoverColumns, hovered);
    painter.setClipRect(frame.geometry.content().adjusted(-3, -3, 3, 3), Qt::IntersectClip);
    if (highlights.cell)
        paintCell(painter, frame, *highlights.cell, theme.highlight, 2);
    if (highlights.hover)
        paintCell(painter, frame, *highlights.hover, theme.hover, 1);
    painter.restore();
}

QRegion regionOf(const MapFrame& frame, const MapHighlights& highlights, const QFontMetricsF& metrics)
{
    QRegion region;
    const auto add = [&region](const QRectF& rect) {
        if (!rect.isEmpty())
            region += rect.adjusted(-4, -4, 4, 4).toAlignedRect();
    };
    for (const AxisRange& rows : {highlights.selectedRows, highlights.hoverRows}) {
        const QRectF band = rowBand(frame, rows);
        add(band);
        add(rowLabelBox(frame, band, metrics));
    }
    const AxisRange named = highlights.cell ? AxisRange{highlights.cell->column, highlights.cell->column + 1} : AxisRange{};
    for (const AxisRange& columns : {highlights.selectedColumns, highlights.hoverColumns, named}) {
        add(columnBand(frame, columns));
        add(columnLabelBox(frame, columns, metrics));
    }
    for (const auto& cell : {highlights.cell, highlights.hover})
        if (cell)
            add(cellBox(frame, *cell));
    return region;
}

} // namespace headscope::widgets
