// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tile_source.h"

namespace headscope::widgets {

void TileSource::setTrace(std::shared_ptr<const core::Trace> trace)
{
    if (trace == m_trace)
        return;
    m_trace = std::move(trace);
    ++m_generation;
    traceChanged();
}

} // namespace headscope::widgets
