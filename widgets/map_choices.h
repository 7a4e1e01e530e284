// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"
#include "widgets/map_geometry.h"

#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// An expert that a token chose, and the factor the model multiplies with.
struct ChosenExpert {
    int expert = 0;
    float gate = 0;

    bool operator==(const ChosenExpert&) const = default;
};

/// What the tokens along one axis of a map chose: a router that this map passes through.
struct AxisChoices {
    std::shared_ptr<const core::SiteRouting> site; // nullptr: nothing is routed on this side
    int head = 0;                                  // of the site

    explicit operator bool() const { return site != nullptr; }
    int slots() const { return site ? site->router.chosen : 0; }
    /// Its gates multiply what the map carries from source to destination; those of `q` and `k` are inside the attention
    /// already.
    bool onPath() const;
    /// In order of descending gate.
    ChosenExpert at(std::int64_t token, int slot) const;
    std::vector<ChosenExpert> all(std::int64_t token) const;
    core::RouterAddress address() const { return site->address(head); }
};

/// The choices on both sides of a map, and which of the rows' choices the map itself stands for (MoA: one slot or one
/// expert).
struct MapChoices {
    AxisChoices rows;          // destination: `o`, else `qo`, else `q`
    AxisChoices columns;       // source: `v`, else `k`
    std::optional<int> slot;   // the map belongs to this slot of `rows`
    std::optional<int> expert; // the map belongs to this expert of `rows`; rows that did not choose it are blank

    /// The choice of this row that the map belongs to. nullopt when the map belongs to no choice in particular, or the row
    /// is blank.
    std::optional<ChosenExpert> own(std::int64_t row) const;
    bool ofOneChoice() const { return slot || expert; }
};

/// The site that an address names (its head is ignored); nullptr when the trace has none.
std::shared_ptr<const core::SiteRouting> siteOf(const core::Trace& trace, const core::RouterAddress& address);
std::shared_ptr<const core::AttentionKeep> blockOf(const core::Trace& trace, const core::MapAddress& address);
MapChoices choicesOf(const core::Trace& trace, const core::MapRef& map);

/// One way a value of a map takes: from the source through its expert to the destination's expert.
struct CellPath {
    std::optional<ChosenExpert> row;    // destination
    std::optional<ChosenExpert> column; // source
    double product = 0;                 // attention · gates of both
};

/// Everything that is to be read at one place of a map.
struct CellReading {
    MapCell cell;
    bool masked = false;            // the query does not see the key
    bool blank = false;             // the map's expert was not chosen for this row
    std::optional<float> attention; // nullopt while it is not computed
    std::vector<ChosenExpert> rowChoices;
    std::vector<ChosenExpert> columnChoices;
    std::vector<CellPath> paths; // in order of the choices; empty where undefined
};
CellReading readCell(const core::AttentionKeep& block, const MapChoices& choices, MapCell cell,
                     std::optional<float> attention);

} // namespace headscope::widgets
