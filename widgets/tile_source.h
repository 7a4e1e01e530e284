// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <span>

namespace headscope::widgets {

/// Where a view gets the values of attention maps. Widgets ask and draw; who implements this computes (in the background).
/// Lives on the GUI thread, and so do its signals.
class TileSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Whose maps are asked for; may be null. Everything asked for before is forgotten and never reported.
    void setTrace(std::shared_ptr<const core::Trace> trace);
    const std::shared_ptr<const core::Trace>& trace() const { return m_trace; }
    /// Grows with every setTrace: a report that carries another number is about another trace.
    std::uint64_t generation() const { return m_generation; }

    /// The tile when it is at hand, else nullptr after having asked for it. Asking again while it is under way costs
    /// nothing. `area` is clipped to the map, as MapGeometry gives it.
    virtual std::shared_ptr<const core::Tile> tile(const core::MapRef& map, const core::TileArea& area) = 0;
    /// Of everything asked for and not yet there only these are still wanted, most wanted first. The rest may be dropped.
    virtual void retain(const core::MapRef& map, std::span<const core::TileArea> areas) = 0;

Q_SIGNALS:
    /// tile(map, area) now gives a value.
    void ready(std::uint64_t generation, const headscope::core::MapRef& map, const headscope::core::TileArea& area);
    /// tile(map, area) cannot be had; the sentence is for the user. It is not asked for again before setTrace.
    void failed(std::uint64_t generation, const headscope::core::MapRef& map, const headscope::core::TileArea& area,
                const QString& sentence);

protected:
    /// The trace is another one: drop the tiles and requests of the former.
    virtual void traceChanged() = 0;

private:
    std::shared_ptr<const core::Trace> m_trace;
    std::uint64_t m_generation = 0;
};

} // namespace headscope::widgets
