// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/difference_tile_source.h"

#include <cmath>

namespace headscope::app {

void DifferenceTileSource::setMaps(std::shared_ptr<const core::Trace> a, std::shared_ptr<const core::Trace> b,
                                   const core::MapRef& mapOfB)
{
    m_b = std::move(b);
    m_mapOfB = mapOfB;
    setTrace(std::move(a));
}

JobTileSource::TileWork DifferenceTileSource::work() const
{
    return [a = trace(), b = m_b, mapOfB = m_mapOfB](const core::MapRef& map, const core::TileArea& area) {
        core::Tile tile = core::tile(*a, map, area);
        const core::Tile other = core::tile(*b, mapOfB, area);
        for (std::size_t i = 0; i < tile.values.size() && i < other.values.size(); ++i)
            tile.values[i] = std::abs(tile.values[i] - other.values[i]); // NaN stays
        return tile;
    };
}

} // namespace headscope::app
