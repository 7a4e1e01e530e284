// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/maps.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace headscope::core {
namespace {

/// Eight sums side by side, which compilers turn into vector instructions.
double dot(std::span<const float> a, std::span<const float> b)
{
    std::array<float, 8> sums{};
    std::size_t i = 0;
    for (; i + sums.size() <= a.size(); i += sums.size())
        for (std::size_t lane = 0; lane < sums.size(); ++lane)
            sums[lane] += a[i + lane] * b[i + lane];
    for (; i < a.size(); ++i)
        sums[0] += a[i] * b[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// One row of arrays laid out as [rows, heads, width].
std::span<const float> rowOf(const std::vector<float>& values, std::int64_t row, int heads, int head, int width)
{
    return std::span(values).subspan((static_cast<std::size_t>(row) * heads + head) * width, width);
}

/// Values of one row of one map at sampled columns. Rows of keys a query cannot see are 0.
void fillRow(const AttentionKeep& block, int map, std::int64_t row, const TileArea& area, std::span<float> values)
{
    const int keyHead = map % block.keyHeads;
    const auto& positionQueries = block.positionQueries.empty() ? block.queries : block.positionQueries;
    const auto query = rowOf(block.queries, row, block.maps, map, block.width);
    const auto positionQuery = rowOf(positionQueries, row, block.maps, map, block.width);
    const double logSumExp = block.logSumExp[static_cast<std::size_t>(row) * block.maps + map];
    const auto i = row + block.columns - block.rows; // position of the query among the keys
    const auto first = block.visibility.firstVisible(i);
    for (std::int64_t c = 0; c < area.columns; ++c) {
        const auto j = area.column + c * area.step;
        if (j < first || (block.visibility.causal && j > i))
            continue;
        double score = dot(query, rowOf(block.keys, block.keyRow(i, j), block.keyHeads, keyHead, block.width));
        if (block.relativeHeads > 0)
            score += dot(positionQuery, rowOf(block.relative, i - j, block.relativeHeads, map % block.relativeHeads, block.width));
        values[static_cast<std::size_t>(c)] = static_cast<float>(std::exp(score - logSumExp));
    }
}

/// Which map holds a row: for By::Expert the slot whose choice it is, -1 when the expert was not chosen there.
int mapOfRow(const AttentionKeep& block, const SiteRouting* site, const MapRef& map, std::int64_t row)
{
    if (map.by == MapRef::By::Map)
        return map.index;
    for (int slot = 0; slot < site->router.chosen; ++slot)
        if (site->experts[site->slot(row, 0, slot)] == map.index)
            return slot * block.keyHeads + map.keyHead;
    return -1;
}

std::int64_t clippedCount(std::int64_t begin, std::int64_t count, std::int64_t step, std::int64_t size)
{
    if (begin >= size)
        return 0;
    return std::clamp<std::int64_t>(count, 0, (size - begin + step - 1) / step);
}

TileArea clip(TileArea area, const AttentionKeep& block)
{
    if (area.step < 1 || area.row < 0 || area.column < 0)
        throw Error(fmt::format("A tile at row {}, column {} with step {} lies outside any map.", area.row, area.column, area.step));
    area.rows = clippedCount(area.row, area.rows, area.step, block.rows);
    area.columns = clippedCount(area.column, area.columns, area.step, block.columns);
    return area;
}

} // namespace

std::string MapRef::toString(bool slots) const
{
    const auto kind = by == By::Expert ? "expert" : slots ? "slot" : "head";
    return fmt::format("{} {} {}", address.toString(), kind, index);
}

Tile tile(const Trace& trace, const MapRef& map, const TileArea& wanted)
{
    const auto* block = trace.block(map.address);
    if (!block)
        throw Error(fmt::format("This trace kept no attention of {}.", map.address.toString()));
    const auto* site = map.by == MapRef::By::Expert
                           ? trace.site({map.address.stack, map.address.depth, map.address.block, Site::QO, std::nullopt})
                           : nullptr;
    const int count = site ? site->router.experts : block->maps;
    if ((map.by == MapRef::By::Expert && !site) || map.index < 0 || map.index >= count || map.keyHead < 0 || map.keyHead >= block->keyHeads)
        throw Error(fmt::format("{} does not exist in this model.", map.toString(block->slots)));

    Tile result{clip(wanted, *block), {}};
    const auto& area = result.area;
    result.values.assign(static_cast<std::size_t>(area.rows * area.columns), 0.0F);
    for (std::int64_t r = 0; r < area.rows; ++r) {
        const auto row = area.row + r * area.step;
        const auto values = std::span(result.values).subspan(static_cast<std::size_t>(r * area.columns), static_cast<std::size_t>(area.columns));
        const int slot = mapOfRow(*block, site, map, row);
        if (slot < 0)
            std::fill(values.begin(), values.end(), std::numeric_limits<float>::quiet_NaN());
        else
            fillRow(*block, slot, row, area, values);
    }
    return result;
}

Tile wholeMap(const Trace& trace, const MapRef& map)
{
    const auto* block = trace.block(map.address);
    const auto rows = block ? block->rows : 0;
    const auto columns = block ? block->columns : 0;
    return tile(trace, map, {0, 0, rows, columns, 1});
}

std::vector<MapRef> mapsOf(const AttentionKeep& block)
{
    std::vector<MapRef> maps;
    for (int index = 0; index < block.maps; ++index)
        maps.push_back({block.address, MapRef::By::Map, index, 0});
    return maps;
}

} // namespace headscope::core
