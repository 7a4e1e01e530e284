// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_tiles.h"

#include <algorithm>

namespace headscope::widgets {

void MapTiles::setMap(const core::MapRef& map, const core::Visibility& visibility)
{
    m_map = map;
    m_visibility = visibility;
    if (m_generation != m_source->generation())
        m_failures.clear();
    m_generation = m_source->generation();
    m_held.clear();
    m_wanted.clear();
    m_pending.clear();
    m_error.clear();
}

void MapTiles::want(std::span<const core::TileArea> areas, std::optional<MapCell> cell)
{
    ++m_clock;
    m_wanted.clear();
    m_pending.clear();
    m_error.clear();
    std::vector<core::TileArea> retained;
    if (cell && !isMasked(*cell, m_visibility))
        retained.push_back({cell->row, cell->column, 1, 1, 1}); // first: someone reads it
    for (const core::TileArea& area : areas)
        if (!isMasked(area, m_visibility))
            m_wanted.push_back(area);
    retained.insert(retained.end(), m_wanted.begin(), m_wanted.end());
    for (const core::TileArea& area : retained)
        ask(area);
    m_source->retain(m_map, retained);
    dropOldest();
}

void MapTiles::ask(const core::TileArea& area)
{
    const auto held = m_held.find(area);
    const auto failure = m_failures.find({m_map, area});
    if (held != m_held.end())
        held->second.used = m_clock;
    else if (failure != m_failures.end())
        m_error = failure->second;
    else if (auto tile = m_source->tile(m_map, area))
        store(std::move(tile), area);
    else
        m_pending.insert(area);
}

bool MapTiles::take(std::uint64_t generation, const core::MapRef& map, const core::TileArea& area)
{
    if (generation != m_generation || map != m_map || m_pending.erase(area) == 0)
        return false;
    if (auto tile = m_source->tile(m_map, area))
        store(std::move(tile), area);
    return true;
}

bool MapTiles::fail(std::uint64_t generation, const core::MapRef& map, const core::TileArea& area, const QString& sentence)
{
    if (generation != m_generation || map != m_map)
        return false;
    m_pending.erase(area);
    m_failures[{map, area}] = sentence;
    m_error = sentence;
    return true;
}

void MapTiles::store(std::shared_ptr<const core::Tile> tile, const core::TileArea& area)
{
    m_held[area] = {std::move(tile), m_clock};
}

void MapTiles::dropOldest()
{
    if (m_held.size() <= capacity)
        return;
    // Coarse tiles are few and stand in for all others: they go last.
    std::vector<std::pair<std::uint64_t, core::TileArea>> candidates;
    for (const auto& [area, held] : m_held)
        if (held.used != m_clock)
            candidates.emplace_back(held.used, area);
    const auto excess = std::min(candidates.size(), m_held.size() - capacity);
    std::ranges::partial_sort(
        candidates, candidates.begin() + static_cast<std::ptrdiff_t>(excess),
        [](const auto& a, const auto& b) { return std::pair(a.second.step, a.first) < std::pair(b.second.step, b.first); });
    for (std::size_t i = 0; i < excess; ++i)
        m_held.erase(candidates[i].second);
}

std::shared_ptr<const core::Tile> MapTiles::standIn(const MapGeometry& geometry, const core::TileArea& area) const
{
    const std::int64_t coarsest = std::max(geometry.rows, geometry.columns);
    for (std::int64_t step = area.step * 2; step / 2 < coarsest; step *= 2) {
        const auto held = m_held.find(geometry.tileOf({area.row, area.column}, step));
        if (held != m_held.end())
            return held->second.tile;
    }
    return nullptr;
}

std::vector<DrawnTile> MapTiles::drawn(const MapGeometry& geometry) const
{
    std::vector<DrawnTile> result;
    for (const core::TileArea& area : m_wanted) {
        const auto held = m_held.find(area);
        result.push_back({area, held != m_held.end() ? held->second.tile : standIn(geometry, area)});
    }
    return result;
}

std::optional<float> MapTiles::value(const MapGeometry& geometry, MapCell cell) const
{
    const auto in = [this, cell](const core::TileArea& area) -> std::optional<float> {
        const auto held = m_held.find(area);
        if (held == m_held.end())
            return std::nullopt;
        const std::int64_t row = (cell.row - area.row) / area.step;
        const std::int64_t column = (cell.column - area.column) / area.step;
        return held->second.tile->values[static_cast<std::size_t>(row * area.columns + column)];
    };
    if (const auto single = in({cell.row, cell.column, 1, 1, 1}))
        return single;
    const std::int64_t coarsest = std::max(geometry.rows, geometry.columns);
    for (std::int64_t step = 1; step / 2 < coarsest && MapGeometry::sampled(cell, step) == cell; step *= 2)
        if (const auto value = in(geometry.tileOf(cell, step)))
            return value;
    return std::nullopt;
}

float largestVisible(std::span<const DrawnTile> tiles, const MapGeometry& geometry)
{
    const MapRange range = geometry.visible();
    float largest = 0;
    for (const DrawnTile& drawn : tiles) {
        if (!drawn.values)
            continue;
        const core::TileArea& area = drawn.values->area;
        const auto sampledRange = [&area](std::int64_t begin, std::int64_t end, std::int64_t origin, std::int64_t count) {
            const std::int64_t first = std::max<std::int64_t>(0, (begin - origin) / area.step);
            const std::int64_t last = std::clamp<std::int64_t>((end - origin + area.step - 1) / area.step, 0, count);
            return std::pair(first, last);
        };
        const auto [rowBegin, rowEnd] = sampledRange(range.rowBegin, range.rowEnd, area.row, area.rows);
        const auto [columnBegin, columnEnd] = sampledRange(range.columnBegin, range.columnEnd, area.column, area.columns);
        for (std::int64_t row = rowBegin; row < rowEnd; ++row) {
            const float* values = drawn.values->values.data() + row * area.columns;
            for (std::int64_t column = columnBegin; column < columnEnd; ++column)
                largest = values[column] > largest ? values[column] : largest; // NaN never is
        }
    }
    return largest;
}

} // namespace headscope::widgets
