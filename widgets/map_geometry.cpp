// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_geometry.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

MapGeometry MapGeometry::fitted(std::int64_t rows, std::int64_t columns, const QRectF& plot)
{
    MapGeometry geometry;
    geometry.rows = rows;
    geometry.columns = columns;
    geometry.plot = plot;
    geometry.cell = geometry.fittingCell();
    return geometry;
}

double MapGeometry::fittingCell() const
{
    if (empty())
        return 1;
    return std::min({plot.width() / static_cast<double>(columns), plot.height() / static_cast<double>(rows), largestCell});
}

bool MapGeometry::isFitted() const
{
    return cell <= fittingCell() * (1 + 1e-9);
}

std::optional<MapCell> MapGeometry::cellAt(QPointF pixel) const
{
    if (empty() || !plot.contains(pixel))
        return std::nullopt;
    const QPointF map = toMap(pixel);
    const MapCell value{static_cast<std::int64_t>(std::floor(map.y())), static_cast<std::int64_t>(std::floor(map.x()))};
    if (value.row < 0 || value.row >= rows || value.column < 0 || value.column >= columns)
        return std::nullopt;
    return value;
}

QRectF MapGeometry::cellRect(MapCell value) const
{
    return {toPixel(QPointF(static_cast<double>(value.column), static_cast<double>(value.row))), QSizeF(cell, cell)};
}

QRectF MapGeometry::content() const
{
    if (empty())
        return {plot.topLeft(), QSizeF(0, 0)};
    const QRectF whole(toPixel({0, 0}), QSizeF(static_cast<double>(columns) * cell, static_cast<double>(rows) * cell));
    return whole.intersected(plot);
}

MapRange MapGeometry::visible() const
{
    if (empty())
        return {};
    const auto range = [this](double begin, double pixels, std::int64_t count) {
        // A hair of rounding must not add a row that is not there.
        const double end = begin + pixels / cell;
        const auto first = static_cast<std::int64_t>(std::floor(begin + 1e-6));
        const auto last = static_cast<std::int64_t>(std::ceil(end - 1e-6));
        return std::pair{std::clamp<std::int64_t>(first, 0, count), std::clamp<std::int64_t>(last, 0, count)};
    };
    const auto [rowBegin, rowEnd] = range(origin.y(), plot.height(), rows);
    const auto [columnBegin, columnEnd] = range(origin.x(), plot.width(), columns);
    return {rowBegin, rowEnd, columnBegin, columnEnd};
}

MapGeometry MapGeometry::clamped() const
{
    MapGeometry result = *this;
    if (empty())
        return result;
    result.cell = std::clamp(cell, fittingCell(), largestCell);
    const auto clampAxis = [&result](double begin, std::int64_t count, double pixels) {
        return std::clamp(begin, 0.0, std::max(0.0, static_cast<double>(count) - pixels / result.cell));
    };
    result.origin = {clampAxis(origin.x(), columns, plot.width()), clampAxis(origin.y(), rows, plot.height())};
    return result;
}

MapGeometry MapGeometry::zoomed(double factor, QPointF about) const
{
    if (empty())
        return *this;
    MapGeometry result = *this;
    const QPointF fixed = toMap(about);
    result.cell = std::clamp(cell * factor, fittingCell(), largestCell);
    result.origin = fixed - (about - plot.topLeft()) / result.cell;
    return result.clamped();
}

MapGeometry MapGeometry::panned(QPointF pixels) const
{
    MapGeometry result = *this;
    result.origin -= pixels / cell;
    return result.clamped();
}

MapGeometry MapGeometry::withPlot(const QRectF& newPlot) const
{
    if (isFitted())
        return fitted(rows, columns, newPlot);
    MapGeometry result = *this;
    result.plot = newPlot;
    return result.clamped();
}

MapGeometry MapGeometry::showing(MapCell value) const
{
    if (empty())
        return *this;
    MapGeometry result = *this;
    const auto moved = [this](double begin, std::int64_t index, double pixels) {
        const double first = static_cast<double>(index) + 1 - pixels / cell; // the value just fits at the far end
        return std::clamp(begin, std::min(first, static_cast<double>(index)), static_cast<double>(index));
    };
    result.origin = {moved(origin.x(), value.column, plot.width()), moved(origin.y(), value.row, plot.height())};
    return result.clamped();
}

std::int64_t MapGeometry::step(double pixelRatio) const
{
    std::int64_t result = 1;
    // The map's own size bounds the step, however small the plot.
    while (static_cast<double>(result) * cell * pixelRatio < 1 - 1e-9 && result < std::max(rows, columns))
        result *= 2;
    return result;
}

MapCell MapGeometry::sampled(MapCell value, std::int64_t step)
{
    return {value.row / step * step, value.column / step * step};
}

core::TileArea MapGeometry::tileOf(MapCell value, std::int64_t step) const
{
    const std::int64_t side = tileValues * step;
    const std::int64_t row = value.row / side * side;
    const std::int64_t column = value.column / side * side;
    const auto values = [step](std::int64_t left) { return std::min(tileValues, (left + step - 1) / step); };
    return {.row = row, .column = column, .rows = values(rows - row), .columns = values(columns - column), .step = step};
}

std::vector<core::TileArea> MapGeometry::tiles(std::int64_t step) const
{
    const MapRange range = visible();
    std::vector<core::TileArea> areas;
    if (range.empty())
        return areas;
    const std::int64_t side = tileValues * step;
    for (std::int64_t row = range.rowBegin / side * side; row < range.rowEnd; row += side)
        for (std::int64_t column = range.columnBegin / side * side; column < range.columnEnd; column += side)
            areas.push_back(tileOf({row, column}, step));
    return areas;
}

bool isMasked(const core::TileArea& area, const core::Visibility& visibility)
{
    const std::int64_t lastRow = area.row + (area.rows - 1) * area.step;
    const std::int64_t lastColumn = area.column + (area.columns - 1) * area.step;
    return (visibility.causal && area.column > lastRow) || lastColumn < visibility.firstVisible(area.row, lastRow);
}

} // namespace headscope::widgets
