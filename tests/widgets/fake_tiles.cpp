// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/fake_tiles.h"

#include "widgets/map_choices.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::samples {

namespace {

double dot(const std::vector<float>& a, std::int64_t atA, const std::vector<float>& b, std::int64_t atB, int width)
{
    double sum = 0;
    for (int i = 0; i < width; ++i)
        sum += static_cast<double>(a[static_cast<std::size_t>(atA * width + i)]) *
               static_cast<double>(b[static_cast<std::size_t>(atB * width + i)]);
    return sum;
}

float attention(const core::AttentionKeep& keep, int map, std::int64_t row, std::int64_t column)
{
    if (widgets::isMasked(widgets::MapCell{row, column}, keep.visibility))
        return 0;
    const std::int64_t query = row * keep.maps + map;
    double score = dot(keep.queries, query, keep.keys, column * keep.keyHeads + map % keep.keyHeads, keep.width);
    if (keep.relativeHeads > 0)
        score += dot(keep.queries, query, keep.relative, (row - column) * keep.relativeHeads + map % keep.relativeHeads,
                     keep.width);
    return static_cast<float>(std::exp(score - static_cast<double>(keep.logSumExp[static_cast<std::size_t>(query)])));
}

} // namespace

AttentionAt attentionOf(const core::Trace& trace)
{
    return [trace](const core::MapRef& map, std::int64_t row, std::int64_t column) {
        const auto keep = widgets::blockOf(trace, map.address);
        if (map.by == core::MapRef::By::Map)
            return attention(*keep, map.index, row, column);
        const auto chosen = widgets::choicesOf(trace, map).rows.all(row);
        const auto slot = std::ranges::find(chosen, map.index, &widgets::ChosenExpert::expert);
        if (slot == chosen.end())
            return std::numeric_limits<float>::quiet_NaN();
        return attention(*keep, static_cast<int>(slot - chosen.begin()) * keep->keyHeads + map.keyHead, row, column);
    };
}

AttentionAt syntheticAttention()
{
    return [](const core::MapRef&, std::int64_t row, std::int64_t column) {
        if (column > row)
            return 0.0F;
        const double distance = static_cast<double>(row - column);
        const double band = 0.3 * std::exp(-distance / 6) + 0.05 * std::exp(-distance / 800);
        const double sink = column < 64 ? 0.2 : 0;
        const double stripes = column % 512 < 64 ? 0.06 * (1 + std::sin(static_cast<double>(row) / 700)) : 0;
        return static_cast<float>(band + sink + stripes);
    };
}

std::shared_ptr<const core::Tile> FakeTiles::compute(const core::MapRef& map, const core::TileArea& area) const
{
    auto tile = std::make_shared<core::Tile>();
    tile->area = area;
    tile->values.reserve(static_cast<std::size_t>(area.rows * area.columns));
    for (std::int64_t row = 0; row < area.rows; ++row)
        for (std::int64_t column = 0; column < area.columns; ++column)
            tile->values.push_back(m_attention(map, area.row + row * area.step, area.column + column * area.step));
    return tile;
}

std::shared_ptr<const core::Tile> FakeTiles::tile(const core::MapRef& map, const core::TileArea& area)
{
    const Key key{map, area};
    if (const auto found = m_ready.find(key); found != m_ready.end())
        return found->second;
    if (m_waiting.contains(key) || m_failed.contains(key))
        return nullptr;
    m_requests.push_back(area);
    if (m_answer == Answer::AtOnce)
        return m_ready[key] = compute(map, area);
    m_waiting.insert(key);
    return nullptr;
}

void FakeTiles::retain(const core::MapRef& map, std::span<const core::TileArea> areas)
{
    std::erase_if(m_waiting,
                  [&](const Key& key) { return key.first != map || std::ranges::find(areas, key.second) == areas.end(); });
}

void FakeTiles::deliver()
{
    deliverAs(generation());
}

void FakeTiles::deliverAs(std::uint64_t asGeneration)
{
    for (const Key& key : std::exchange(m_waiting, {})) {
        m_ready[key] = compute(key.first, key.second);
        Q_EMIT ready(asGeneration, key.first, key.second);
    }
}

void FakeTiles::failAll(const QString& sentence)
{
    m_failed.insert(m_waiting.begin(), m_waiting.end());
    for (const Key& key : std::exchange(m_waiting, {}))
        Q_EMIT failed(generation(), key.first, key.second, sentence);
}

void FakeTiles::traceChanged()
{
    m_ready.clear();
    m_waiting.clear();
    m_failed.clear();
}

std::shared_ptr<const core::Trace> hugeTrace(std::int64_t tokens)
{
    auto trace = std::make_shared<core::Trace>();
    trace->streams.emplace_back();
    core::TokenizedText& text = trace->streams.front().text;
    for (std::int64_t token = 0; token < tokens; ++token) {
        const std::size_t begin = text.text.size();
        text.text += token % 7 == 0 ? " the" : " w" + std::to_string(token % 977);
        text.tokens.push_back({static_cast<core::TokenId>(token % 977),
                               "▁" + text.text.substr(begin + 1),
                               {begin, text.text.size()},
                               false,
                               static_cast<std::int32_t>(token)});
    }
    for (const core::Site site : {core::Site::V, core::Site::O}) {
        auto routing = std::make_shared<core::SiteRouting>();
        routing->router.address = {core::Stack::None, 0, core::Block::Self, site, std::nullopt};
        routing->router.experts = 5;
        routing->router.chosen = 2;
        routing->router.side = site == core::Site::V ? core::Side::Source : core::Side::Destination;
        routing->perHead = true;
        routing->tokens = tokens;
        for (std::int64_t token = 0; token < tokens; ++token) {
            const int first = static_cast<int>(token % 5);
            routing->experts.insert(routing->experts.end(), {first, (first + 1 + static_cast<int>(token / 5 % 4)) % 5});
            routing->gates.insert(routing->gates.end(), {0.9F, 0.4F});
            routing->margins.push_back(0.5F);
        }
        trace->sites.push_back(routing);
    }
    auto keep = std::make_shared<core::AttentionKeep>();
    keep->maps = keep->keyHeads = 1;
    keep->width = 8;
    keep->rows = keep->columns = tokens;
    trace->attention.push_back(keep);
    return trace;
}

} // namespace headscope::samples
