// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/job_tile_source.h"
#include "core/compare/attention_comparison.h"

namespace headscope::app {

/// Tiles of |A − B| of two maps of two traces of the same tokens, asked for by the map of A.
class DifferenceTileSource : public JobTileSource
{
    Q_OBJECT

public:
    using JobTileSource::JobTileSource;

    /// Forgets everything asked for before. `comparison` may be null when there are no traces.
    void setMaps(std::shared_ptr<const core::Comparison> comparison, const core::ComparedTraces& traces,
                 const core::MapPair& maps);

protected:
    TileWork work() const override;

private:
    std::shared_ptr<const core::Comparison> m_comparison;
    core::ComparedTraces m_traces;
    core::MapPair m_maps;
};

} // namespace headscope::app
