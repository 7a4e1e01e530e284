// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core {

/// One attention map of a trace. Rows are queries (destination), columns are keys (source).
struct MapRef {
    enum class By : std::uint8_t {
        Map,    // head, or slot of a `qo` router
        Expert, // of a `qo` router: rows where the expert was not chosen are blank
    };
    MapAddress address;
    By by = By::Map;
    int index = 0;
    int keyHead = 0; // for By::Expert

    auto operator<=>(const MapRef&) const = default;
    /// "layers.0.self head 1", "layers.0.self expert 4"
    std::string toString(bool slots) const;
};

/// A rectangle of a map: rows [row, row + rows·step) taken every `step`, the same for columns. Ends are clipped to the map.
struct TileArea {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t rows = 0; // values, after sampling
    std::int64_t columns = 0;
    std::int64_t step = 1;

    auto operator<=>(const TileArea&) const = default;
};

/// Exact values of a map at the sampled places.
struct Tile {
    TileArea area;             // clipped to the map
    std::vector<float> values; // [area.rows, area.columns]; 0 where masked, NaN in blank rows
};

/// Computes a tile from what the trace keeps, in O(area x width). Throws Error when the trace kept no maps or the map does not exist.
Tile tile(const Trace& trace, const MapRef& map, const TileArea& area);

/// The whole map, [rows, columns]; for exports of small texts and tests.
Tile wholeMap(const Trace& trace, const MapRef& map);

/// Every map of a block as By::Map, in order.
std::vector<MapRef> mapsOf(const AttentionKeep& block);

} // namespace headscope::core
