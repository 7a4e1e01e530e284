// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/selection_defaults.h"

namespace headscope::app {

namespace {

bool exists(const core::RouterAddress& address, const core::Trace& trace)
{
    const core::SiteRouting* site = trace.site(address);
    return site && address.head.value_or(0) < site->heads;
}

std::optional<core::RouterAddress> routerIn(const std::optional<core::RouterAddress>& router, const core::Trace& trace)
{
    if (router && exists(*router, trace))
        return router;
    if (router) // the same site of a model with other heads
        if (const core::SiteRouting* site = trace.site(*router))
            return site->address(0);
    if (trace.sites.empty())
        return std::nullopt;
    return trace.sites.front()->address(0);
}

int mapCount(const core::AttentionKeep& block, const core::MapRef& map, const core::Trace& trace)
{
    if (map.by == core::MapRef::By::Map)
        return block.maps;
    const core::SiteRouting* site =
        trace.site({block.address.stack, block.address.depth, block.address.block, core::Site::QO, std::nullopt});
    return site && block.slots ? site->router.experts : 0;
}

std::optional<core::MapRef> mapIn(const std::optional<core::MapRef>& map, const core::Trace& trace)
{
    if (map)
        if (const core::AttentionKeep* block = trace.block(map->address))
            if (map->index < mapCount(*block, *map, trace) && map->keyHead < block->keyHeads)
                return map;
    return std::nullopt;
}

std::optional<core::ByteRange> bytesIn(const std::optional<core::ByteRange>& bytes, const std::string& text)
{
    return bytes && bytes->end <= text.size() ? bytes : std::nullopt;
}

} // namespace

widgets::SelectionState adapted(widgets::SelectionState state, const core::Trace& trace)
{
    if (state.stream < 0 || static_cast<std::size_t>(state.stream) >= trace.streams.size())
        state.stream = 0;
    if (trace.streams.empty()) {
        state.bytes.reset();
        state.hover.reset();
    } else {
        const std::string& text = trace.text(state.stream).text;
        state.bytes = bytesIn(state.bytes, text);
        state.hover = bytesIn(state.hover, text);
    }
    const auto router = routerIn(state.router, trace);
    const core::SiteRouting* site = router ? trace.site(*router) : nullptr;
    if (router != state.router || !site || (state.expert && *state.expert >= site->router.experts))
        state.expert.reset();
    state.router = router;
    state.map = mapIn(state.map, trace);
    return state;
}

} // namespace headscope::app
