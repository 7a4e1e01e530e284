// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/difference_tile_source.h"

#include <cmath>

namespace headscope::app {

void DifferenceTileSource::setMaps(std::shared_ptr<const core::Comparison> comparison, const core::ComparedTraces& traces,
                                   const core::MapPair& maps)
{
    m_comparison = std::move(comparison);
    m_traces = traces;
    m_maps = maps;
    setTrace(traces.a);
}

JobTileSource::TileWork DifferenceTileSource::work() const
{
    return [comparison = m_comparison, traces = m_traces, maps = m_maps](const core::MapRef&, const core::TileArea& area) {
        core::Tile tile = core::differenceTile(traces, comparison->alignment, maps, area);
        for (float& value : tile.values)
            value = std::abs(value); // NaN stays
        return tile;
    };
}

} // namespace headscope::app
