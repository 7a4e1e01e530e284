// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_choices.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace headscope::widgets {

namespace {

AxisChoices axis(const core::Trace& trace, const core::MapRef& map, std::initializer_list<core::Site> candidates)
{
    for (const core::Site candidate : candidates) {
        const core::RouterAddress address{map.address.stack, map.address.depth, map.address.block, candidate, std::nullopt};
        auto site = siteOf(trace, address);
        // One decision for all heads has one router; grouped keys have fewer routers than heads.
        if (site && site->heads > 0)
            return {site, candidate == core::Site::QO ? 0 : map.index % site->heads};
    }
    return {};
}

} // namespace

bool AxisChoices::onPath() const
{
    return site && site->router.address.site != core::Site::Q && site->router.address.site != core::Site::K;
}

ChosenExpert AxisChoices::at(std::int64_t token, int slot) const
{
    const std::size_t place = site->slot(token, head, slot);
    return {site->experts[place], site->gates[place]};
}

std::vector<ChosenExpert> AxisChoices::all(std::int64_t token) const
{
    std::vector<ChosenExpert> result;
    if (site && token >= 0 && token < site->tokens)
        for (int slot = 0; slot < slots(); ++slot)
            result.push_back(at(token, slot));
    return result;
}

std::optional<ChosenExpert> MapChoices::own(std::int64_t row) const
{
    if (!rows || row < 0 || row >= rows.site->tokens)
        return std::nullopt;
    if (slot)
        return *slot < rows.slots() ? std::optional(rows.at(row, *slot)) : std::nullopt;
    if (!expert)
        return std::nullopt;
    const auto chosen = rows.all(row);
    const auto found = std::ranges::find(chosen, *expert, &ChosenExpert::expert);
    return found == chosen.end() ? std::nullopt : std::optional(*found);
}

std::shared_ptr<const core::SiteRouting> siteOf(const core::Trace& trace, const core::RouterAddress& address)
{
    const auto found = std::ranges::find_if(
        trace.sites, [whole = address.wholeSite()](const auto& site) { return site->router.address.wholeSite() == whole; });
    return found == trace.sites.end() ? nullptr : *found;
}

std::shared_ptr<const core::AttentionKeep> blockOf(const core::Trace& trace, const core::MapAddress& address)
{
    const auto found = std::ranges::find_if(trace.attention, [&](const auto& block) { return block->address == address; });
    return found == trace.attention.end() ? nullptr : *found;
}

MapChoices choicesOf(const core::Trace& trace, const core::MapRef& map)
{
    using enum core::Site;
    MapChoices choices;
    choices.rows = axis(trace, map, {O, QO, Q});
    choices.columns = axis(trace, map, {V, K});
    const auto block = blockOf(trace, map.address);
    if (block && block->slots) {
        if (map.by == core::MapRef::By::Expert)
            choices.expert = map.index;
        else
            choices.slot = map.index / std::max(block->keyHeads, 1);
    }
    return choices;
}

namespace {

std::vector<CellPath> pathsThrough(const MapChoices& choices, const CellReading& reading)
{
    const double attention = *reading.attention;
    std::vector<CellPath> paths;
    if (choices.ofOneChoice()) {
        if (const auto own = choices.own(reading.cell.row))
            paths.push_back({own, std::nullopt, attention * own->gate});
        return paths;
    }
    // A side without a gate of its own takes part once, with the factor 1.
    const auto gates = [](const AxisChoices& axis, const std::vector<ChosenExpert>& chosen) {
        std::vector<std::optional<ChosenExpert>> result(chosen.begin(), chosen.end());
        return axis.onPath() ? result : std::vector<std::optional<ChosenExpert>>{std::nullopt};
    };
    if (!choices.rows.onPath() && !choices.columns.onPath())
        return paths;
    for (const auto& row : gates(choices.rows, reading.rowChoices))
        for (const auto& column : gates(choices.columns, reading.columnChoices))
            paths.push_back({row, column, attention * (row ? row->gate : 1.0) * (column ? column->gate : 1.0)});
    return paths;
}

} // namespace

CellReading readCell(const core::AttentionKeep& block, const MapChoices& choices, MapCell cell,
                     std::optional<float> attention)
{
    CellReading reading;
    reading.cell = cell;
    reading.masked = isMasked(cell, block.visibility);
    reading.blank = (choices.expert && !choices.own(cell.row)) || (attention && std::isnan(*attention));
    if (!reading.masked && !reading.blank)
        reading.attention = attention;
    reading.rowChoices = choices.rows.all(cell.row);
    reading.columnChoices = choices.columns.all(cell.column);
    if (reading.attention)
        reading.paths = pathsThrough(choices, reading);
    return reading;
}

} // namespace headscope::widgets
