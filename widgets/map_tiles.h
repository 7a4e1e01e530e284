// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"
#include "widgets/map_geometry.h"
#include "widgets/tile_source.h"

#include <QString>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace headscope::widgets {

/// What to draw in the place of a wanted tile: itself, or a coarser one that covers it, or nothing yet.
struct DrawnTile {
    core::TileArea area;                      // the wanted one
    std::shared_ptr<const core::Tile> values; // of its own step or a coarser one; nullptr: nothing at hand
};

/// The tiles of one map that a view has at hand. Asks for those that are missing, keeps those lately used and the coarse
/// ones, and finds a coarser stand-in while a tile is under way.
class MapTiles
{
public:
    explicit MapTiles(TileSource* source) : m_source(source) {}

    /// Another map, or the same of another trace: nothing is at hand.
    void setMap(const core::MapRef& map, const core::Visibility& visibility);
    /// Asks for what is wanted and not at hand, and for the value of one cell. Areas without any visible value are never
    /// asked for.
    void want(std::span<const core::TileArea> areas, std::optional<MapCell> cell);
    /// Takes a reported tile; false when it belongs to another map or trace or is not wanted any more.
    bool take(std::uint64_t generation, const core::MapRef& map, const core::TileArea& area);
    bool fail(std::uint64_t generation, const core::MapRef& map, const core::TileArea& area, const QString& sentence);

    std::vector<DrawnTile> drawn(const MapGeometry& geometry) const;
    /// The value of a cell, when a tile at hand holds exactly this one.
    std::optional<float> value(const MapGeometry& geometry, MapCell cell) const;
    int pending() const { return static_cast<int>(m_pending.size()); }
    const QString& error() const { return m_error; }

private:
    static constexpr std::size_t capacity = 160; // tiles: 40 MiB

    std::shared_ptr<const core::Tile> standIn(const MapGeometry& geometry, const core::TileArea& area) const;
    void ask(const core::TileArea& area);
    void store(std::shared_ptr<const core::Tile> tile, const core::TileArea& area);
    void dropOldest();

    struct Held {
        std::shared_ptr<const core::Tile> tile;
        std::uint64_t used = 0;
    };

    TileSource* m_source;
    core::MapRef m_map;
    core::Visibility m_visibility;
    std::uint64_t m_generation = 0;
    std::map<core::TileArea, Held> m_held;
    std::vector<core::TileArea> m_wanted;
    std::set<core::TileArea> m_pending;
    std::uint64_t m_clock = 0;
    std::map<std::pair<core::MapRef, core::TileArea>, QString> m_failures; // of this trace: a source says so once
    QString m_error;
};

/// The largest value among those on screen (blank ones left out); 0 when nothing is at hand.
float largestVisible(std::span<const DrawnTile> tiles, const MapGeometry& geometry);

} // namespace headscope::widgets
