// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_catalog.h"

#include "widgets/map_choices.h"

#include <algorithm>

namespace headscope::widgets {

using By = core::MapRef::By;

std::vector<core::MapRef> mapsOffered(const core::Trace& trace, const core::AttentionKeep& block)
{
    std::vector<core::MapRef> maps;
    for (int map = 0; map < block.maps; ++map)
        maps.push_back({block.address, By::Map, map, 0});
    const auto site = block.slots ? choicesOf(trace, {block.address, By::Map, 0, 0}).rows.site : nullptr;
    for (int expert = 0; site && expert < site->router.experts; ++expert)
        for (int keyHead = 0; keyHead < block.keyHeads; ++keyHead)
            maps.push_back({block.address, By::Expert, expert, keyHead});
    return maps;
}

bool hasMap(const core::Trace& trace, const core::MapRef& map)
{
    const auto block = blockOf(trace, map.address);
    return block && std::ranges::count(mapsOffered(trace, *block), map) > 0;
}

std::optional<core::MapRef> mapOfRouter(const core::Trace& trace, const MapWish& wish)
{
    if (!wish.router)
        return std::nullopt;
    auto block = blockOf(trace, wish.router->mapAddress());
    if (!block) { // a router of the feed-forward layer: the attention of the same layer
        const auto sameLayer = [&wish](const auto& other) {
            return other->address.stack == wish.router->stack && other->address.depth == wish.router->depth;
        };
        const auto found = std::ranges::find_if(trace.attention, sameLayer);
        if (found == trace.attention.end())
            return std::nullopt;
        block = *found;
    }
    core::MapRef map = wish.shown.value_or(core::MapRef{});
    map.address = block->address;
    if (!block->slots)
        map = {block->address, By::Map, wish.router->head.value_or(map.index), 0};
    else if (map.by == By::Expert && wish.expert)
        map.index = *wish.expert;
    if (!hasMap(trace, map))
        map = {block->address, By::Map, 0, 0};
    return hasMap(trace, map) ? std::optional(map) : std::nullopt;
}

std::optional<core::MapRef> mapToShow(const core::Trace& trace, const MapWish& wish)
{
    for (const auto& map : {wish.chosen, wish.shown, mapOfRouter(trace, wish)})
        if (map && hasMap(trace, *map))
            return map;
    for (const auto& block : trace.attention)
        if (block->maps > 0)
            return core::MapRef{block->address, By::Map, 0, 0};
    return std::nullopt;
}

} // namespace headscope::widgets
