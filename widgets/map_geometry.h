// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"

#include <QPointF>
#include <QRectF>

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// One value of a map: a query (row) and a key (column).
struct MapCell {
    std::int64_t row = 0;
    std::int64_t column = 0;

    bool operator==(const MapCell&) const = default;
};

/// Half-open ranges of rows and columns of a map.
struct MapRange {
    std::int64_t rowBegin = 0;
    std::int64_t rowEnd = 0;
    std::int64_t columnBegin = 0;
    std::int64_t columnEnd = 0;

    bool empty() const { return rowBegin >= rowEnd || columnBegin >= columnEnd; }
    bool operator==(const MapRange&) const = default;
};

/// Where the values of a map lie on screen. Map coordinates count values: value (row i, column j) covers [j, j + 1) × [i, i
/// + 1), x to the right over the columns, y downwards over the rows. Pixels are those of the widget (device independent).
/// Cells are square. The map starts at the top left corner of the plot when it is smaller than the plot, and never leaves a
/// gap when it is larger.
struct MapGeometry {
    static constexpr double largestCell = 64;       // pixels
    static constexpr std::int64_t tileValues = 256; // of a tile, along each side

    std::int64_t rows = 0;
    std::int64_t columns = 0;
    QRectF plot;     // where the map may be drawn
    double cell = 1; // pixels per value
    QPointF origin;  // map coordinates of the plot's top left corner

    /// The whole map, as large as the plot allows.
    static MapGeometry fitted(std::int64_t rows, std::int64_t columns, const QRectF& plot);

    bool empty() const { return rows <= 0 || columns <= 0 || plot.isEmpty(); }
    double fittingCell() const;
    bool isFitted() const;

    QPointF toMap(QPointF pixel) const { return origin + (pixel - plot.topLeft()) / cell; }
    QPointF toPixel(QPointF map) const { return plot.topLeft() + (map - origin) * cell; }
    std::optional<MapCell> cellAt(QPointF pixel) const;
    QRectF cellRect(MapCell value) const;
    /// The part of the plot that the map covers.
    QRectF content() const;
    /// Values of which at least a part is on screen.
    MapRange visible() const;

    /// Larger (factor > 1) or smaller, with the map point under `about` staying where it is as far as the borders allow.
    MapGeometry zoomed(double factor, QPointF about) const;
    /// The map moved by this many pixels, as a hand drags it.
    MapGeometry panned(QPointF pixels) const;
    /// The same place in a plot of another size or position; a fitted map stays fitted.
    MapGeometry withPlot(const QRectF& newPlot) const;
    /// Moved by the least that brings the value into the plot.
    MapGeometry showing(MapCell value) const;

    /// The sampling step: the smallest power of two at which a drawn value covers at least one pixel of the device.
    std::int64_t step(double pixelRatio) const;
    /// The value that stands for this one when every step-th row and column is drawn.
    static MapCell sampled(MapCell value, std::int64_t step);
    /// The tiles that cover what is visible, clipped to the map, in rows from the top; each area starts at a multiple of
    /// tileValues · step.
    std::vector<core::TileArea> tiles(std::int64_t step) const;
    /// The tile of this step that holds a value.
    core::TileArea tileOf(MapCell value, std::int64_t step) const;

    bool operator==(const MapGeometry&) const = default;

private:
    MapGeometry clamped() const;
};

/// No value of the area is visible to its query, so that there is nothing to ask for.
bool isMasked(const core::TileArea& area, const core::Visibility& visibility);
inline bool isMasked(MapCell value, const core::Visibility& visibility)
{
    return (visibility.causal && value.column > value.row) || value.column < visibility.firstVisible(value.row);
}

} // namespace headscope::widgets
