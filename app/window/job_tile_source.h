// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "widgets/tile_source.h"

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace headscope::app {

/// Computes tiles of attention maps in the background, a few at a time so that typed text and newer wishes come between, and
/// keeps the ones used last within a bound of bytes.
class JobTileSource : public widgets::TileSource
{
    Q_OBJECT

public:
    static constexpr std::size_t defaultBound = std::size_t{64} << 20;

    explicit JobTileSource(std::size_t boundBytes = defaultBound, QObject* parent = nullptr);

    /// Where the next trace's tiles are computed; until it is set nothing is. The queue outlives this or the next call.
    void setQueue(ComputeQueue* queue);

    std::shared_ptr<const core::Tile> tile(const core::MapRef& map, const core::TileArea& area) override;
    void retain(const core::MapRef& map, std::span<const core::TileArea> areas) override;

    /// Tiles asked for and not reported yet.
    std::size_t outstanding() const { return m_waiting.size() + m_running.size(); }
    std::size_t heldBytes() const { return m_heldBytes; }

Q_SIGNALS:
    /// Nothing is outstanding any more.
    void settled();

protected:
    void traceChanged() override;
    /// Computes tiles of the trace that is set now, on a worker thread.
    using TileWork = std::function<core::Tile(const core::MapRef&, const core::TileArea&)>;
    virtual TileWork work() const;

private:
    using Key = std::pair<core::MapRef, core::TileArea>;
    using TilePointer = std::shared_ptr<const core::Tile>;
    struct Held {
        TilePointer tile;
        std::list<Key>::iterator use;
    };

    void startJobs();
    void finish(std::uint64_t number, Key key, Outcome<TilePointer> outcome);
    void hold(const Key& key, TilePointer tile);

    std::size_t m_bound;
    ComputeQueue* m_queue = nullptr;
    std::list<Key> m_waiting; // most wanted first
    std::set<Key> m_failed;
    std::map<Key, Held> m_held;
    std::list<Key> m_uses; // of m_held, latest first
    std::size_t m_heldBytes = 0;
    // Last: they end before anything they deliver to.
    std::vector<Job> m_leaving; // of former traces; a tile that is being computed is not waited for
    std::map<Key, Job> m_running;
};

} // namespace headscope::app
