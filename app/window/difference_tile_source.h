// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/job_tile_source.h"

namespace headscope::app {

/// Tiles of |A − B| of one map of two traces of the same tokens, asked for by the map of A. Blank where one of them is.
class DifferenceTileSource : public JobTileSource
{
    Q_OBJECT

public:
    using JobTileSource::JobTileSource;

    /// Forgets everything asked for before.
    void setMaps(std::shared_ptr<const core::Trace> a, std::shared_ptr<const core::Trace> b, const core::MapRef& mapOfB);

protected:
    TileWork work() const override;

private:
    std::shared_ptr<const core::Trace> m_b;
    core::MapRef m_mapOfB;
};

} // namespace headscope::app
