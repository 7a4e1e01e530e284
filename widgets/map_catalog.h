// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"

#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// Every map of a block in the order in which it is offered: heads, or slots and then experts.
std::vector<core::MapRef> mapsOffered(const core::Trace& trace, const core::AttentionKeep& block);
bool hasMap(const core::Trace& trace, const core::MapRef& map);

/// What decides which map is shown, the most important first.
struct MapWish {
    std::optional<core::MapRef> chosen;        // by the user
    std::optional<core::MapRef> shown;         // until now
    std::optional<core::RouterAddress> router; // the chosen router
    std::optional<int> expert;                 // of that router
};
/// The map that a router belongs to: its layer and head. Where maps are slots or experts, the kind shown until now stays,
/// and an expert's map follows the chosen expert. nullopt when the trace kept none of that layer.
std::optional<core::MapRef> mapOfRouter(const core::Trace& trace, const MapWish& wish);
/// The first of `chosen`, `shown`, the router's and the trace's first map that this trace has.
std::optional<core::MapRef> mapToShow(const core::Trace& trace, const MapWish& wish);

} // namespace headscope::widgets
