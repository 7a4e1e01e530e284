// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/map_geometry.h"
#include "widgets/map_raster.h"
#include "widgets/map_scene.h"
#include "widgets/theme.h"

#include <QFont>
#include <QRegion>

#include <optional>
#include <vector>

class QPainter;

namespace headscope::widgets {

/// How a map is shown: the same for everything that draws or measures a part of it.
struct MapFrame {
    const MapScene& scene;
    const MapLayout& layout;
    const MapGeometry& geometry;
    const Theme& theme;
    std::int64_t step = 1; // sampling
};

/// A value at which an axis or a scale is labelled.
struct AxisTick {
    double value = 0;
    QString text;
};
/// Multiples of 1, 2 or 5 times a power of ten, at least `apart` values from each other.
std::vector<AxisTick> indexTicks(std::int64_t begin, std::int64_t end, double apart);
/// The values written beside the colour bar, from the bottom; the largest is always among them.
std::vector<AxisTick> colorTicks(const MapColors& colors);
/// "exact values", "every 4th row and column, exact values".
QString samplingText(std::int64_t step);

/// The font of token labels, smaller than usual where the cells are; nullopt where they are too small for any.
std::optional<QFont> labelFont(const QFont& usual, double cell);

/// Text that runs upwards in `area`, as if it lay on its side: left is the lower end.
void drawUpwards(QPainter& painter, const QRectF& area, Qt::Alignment alignment, const QString& text);

/// Axis words, labels or indices, chosen experts and the lines between large cells.
void paintAxes(QPainter& painter, const MapFrame& frame);
void paintColorBar(QPainter& painter, const MapFrame& frame, const MapColors& colors, const QString& title);
/// The badge, and what the colours beside the scale mean.
void paintFooter(QPainter& painter, const MapFrame& frame, const MapColors& colors, const QString& badge);

/// Half-open range of rows or columns.
struct AxisRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    bool empty() const { return begin >= end; }
    bool operator==(const AxisRange&) const = default;
};

/// What is pointed out on top of a map.
struct MapHighlights {
    AxisRange selectedRows;
    AxisRange selectedColumns;
    AxisRange hoverRows;
    AxisRange hoverColumns;
    std::optional<MapCell> cell; // chosen by a click
    std::optional<MapCell> hover;

    bool operator==(const MapHighlights&) const = default;
};

void paintHighlights(QPainter& painter, const MapFrame& frame, const MapHighlights& highlights);
/// Where paintHighlights draws.
QRegion regionOf(const MapFrame& frame, const MapHighlights& highlights, const QFontMetricsF& metrics);

} // namespace headscope::widgets
