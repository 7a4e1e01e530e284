// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/tile_source.h"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace headscope::samples {

/// Attention of one place of a map; 0 where masked, NaN in a blank row.
using AttentionAt = std::function<float(const core::MapRef&, std::int64_t row, std::int64_t column)>;

/// From what a small trace keeps, by the formula of AttentionKeep.
AttentionAt attentionOf(const core::Trace& trace);
/// A made-up map of any size: a band, a sink at column 0, stripes.
AttentionAt syntheticAttention();

/// A source under the test's control: it answers at once, or when deliver() is called.
class FakeTiles : public widgets::TileSource
{
public:
    enum class Answer { AtOnce, Later };

    explicit FakeTiles(AttentionAt attention, Answer answer = Answer::AtOnce)
        : m_attention(std::move(attention)), m_answer(answer)
    {
    }

    std::shared_ptr<const core::Tile> tile(const core::MapRef& map, const core::TileArea& area) override;
    void retain(const core::MapRef& map, std::span<const core::TileArea> areas) override;

    /// Everything asked for since the last call, in order, without repeats.
    std::vector<core::TileArea> takeRequests() { return std::exchange(m_requests, {}); }
    /// Reports everything that is still wanted, as of this generation.
    void deliver();
    void deliverAs(std::uint64_t asGeneration);
    void failAll(const QString& sentence);
    std::size_t waiting() const { return m_waiting.size(); }

protected:
    void traceChanged() override;

private:
    using Key = std::pair<core::MapRef, core::TileArea>;
    std::shared_ptr<const core::Tile> compute(const core::MapRef& map, const core::TileArea& area) const;

    AttentionAt m_attention;
    Answer m_answer;
    std::map<Key, std::shared_ptr<const core::Tile>> m_ready;
    std::set<Key> m_waiting;
    std::set<Key> m_failed;
    std::vector<core::TileArea> m_requests;
};

/// A trace with a text of this many tokens that keeps an (empty) attention block, as large as one likes, and SwitchHead
/// sites.
std::shared_ptr<const core::Trace> hugeTrace(std::int64_t tokens);

} // namespace headscope::samples
