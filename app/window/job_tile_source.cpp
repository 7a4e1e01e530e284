// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/job_tile_source.h"

#include <algorithm>

namespace headscope::app {

namespace {

// Two, so that the worker has the next tile at hand while the first is delivered; few, so that a scrolled view is not kept
// waiting.
constexpr std::size_t atOnce = 2;

std::size_t bytesOf(const core::Tile& tile)
{
    return tile.values.size() * sizeof(float);
}

} // namespace

JobTileSource::JobTileSource(std::size_t boundBytes, QObject* parent) : widgets::TileSource(parent), m_bound(boundBytes) {}

void JobTileSource::setQueue(ComputeQueue* queue)
{
    m_queue = queue;
}

std::shared_ptr<const core::Tile> JobTileSource::tile(const core::MapRef& map, const core::TileArea& area)
{
    const Key key{map, area};
    if (const auto held = m_held.find(key); held != m_held.end()) {
        m_uses.splice(m_uses.begin(), m_uses, held->second.use);
        return held->second.tile;
    }
    if (trace() && !m_failed.contains(key) && !m_running.contains(key) &&
        std::ranges::find(m_waiting, key) == m_waiting.end()) {
        m_waiting.push_back(key);
        startJobs();
    }
    return nullptr;
}

void JobTileSource::retain(const core::MapRef& map, std::span<const core::TileArea> areas)
{
    // Other views may wait for other maps: those stay, after this one.
    std::list<Key> wanted;
    for (const core::TileArea& area : areas)
        if (const auto found = std::ranges::find(m_waiting, Key{map, area}); found != m_waiting.end())
            wanted.splice(wanted.end(), m_waiting, found);
    std::erase_if(m_waiting, [&](const Key& key) { return key.first == map; });
    m_waiting.splice(m_waiting.begin(), wanted);
}

void JobTileSource::traceChanged()
{
    std::erase_if(m_leaving, [](const Job& job) { return !job.pending(); });
    for (auto& [key, job] : m_running) {
        job.cancel();
        m_leaving.push_back(std::move(job));
    }
    m_running.clear();
    m_waiting.clear();
    m_failed.clear();
    m_held.clear();
    m_uses.clear();
    m_heldBytes = 0;
    Q_EMIT settled();
}

JobTileSource::TileWork JobTileSource::work() const
{
    return [trace = trace()](const core::MapRef& map, const core::TileArea& area) { return core::tile(*trace, map, area); };
}

void JobTileSource::startJobs()
{
    while (m_queue && !m_waiting.empty() && m_running.size() < atOnce) {
        const Key key = m_waiting.front();
        m_waiting.pop_front();
        m_running[key] = m_queue->submit(
            Priority::VisibleTiles,
            [compute = work(), key](const core::Progress&) -> TilePointer {
                return std::make_shared<const core::Tile>(compute(key.first, key.second));
            },
            this,
            [this, key, number = generation()](Outcome<TilePointer> outcome) { finish(number, key, std::move(outcome)); });
    }
}

void JobTileSource::finish(std::uint64_t number, Key key, Outcome<TilePointer> outcome)
{
    if (number != generation())
        return;
    m_running.erase(key);
    startJobs();
    if (auto* tile = std::get_if<TilePointer>(&outcome)) {
        hold(key, std::move(*tile));
        Q_EMIT ready(generation(), key.first, key.second);
    } else if (const auto* failure = std::get_if<Failure>(&outcome)) {
        m_failed.insert(key);
        Q_EMIT failed(generation(), key.first, key.second, QString::fromStdString(failure->sentence));
    }
    if (outstanding() == 0)
        Q_EMIT settled();
}

void JobTileSource::hold(const Key& key, TilePointer tile)
{
    m_heldBytes += bytesOf(*tile);
    m_uses.push_front(key);
    m_held.insert_or_assign(key, Held{std::move(tile), m_uses.begin()});
    while (m_heldBytes > m_bound && m_uses.size() > 1) {
        const auto last = m_held.find(m_uses.back());
        m_heldBytes -= bytesOf(*last->second.tile);
        m_held.erase(last);
        m_uses.pop_back();
    }
}

} // namespace headscope::app
