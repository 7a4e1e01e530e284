// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/corpus/counts.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::core {

// Which routers of two models are compared, before it is known which head corresponds to which.

/// A site of a model: one router, or one per head.
struct RoutedSite {
    RouterAddress address;  // without head
    std::vector<int> heads; // their numbers; {0} for a single router
    bool perHead = false;
    int stream = 0;
    std::optional<RouterAddress> sharedWith; // not a decision of its own
    RouterAddress router(int head) const;
};

struct RoutedModel {
    std::vector<RoutedSite> sites; // in order of the forward pass
    int layers = 0;
};
RoutedModel routedModel(const Trace& trace);
/// Counts do not say how many layers there are: up to the last that has a router.
RoutedModel routedModel(const Counts& counts);

/// Routers of a site of A and of B. Which head is which is found later; the side with more has leftovers.
struct SitePair {
    std::size_t siteA = 0, siteB = 0; // of RoutedModel::sites
    std::vector<int> headsA, headsB;
};

struct Pairing {
    std::vector<SitePair> pairs; // in order of A's forward pass
    std::vector<UnpairedRouter> onlyA, onlyB;
};

/// The layer of B for every layer of A: one to one, in the same order, and together as close in relative depth (l + 1/2) / L
/// as can be; -1 for those left over where A has more.
std::vector<int> pairLayers(int layersA, int layersB);

using PairsByHand = std::span<const std::pair<RouterAddress, RouterAddress>>;

/// By hand first; of what is left, equal sites of the same block in paired layers; a `qo` with every `o` where the other has
/// no `qo`. Sites that use another's decision are left out. Throws Error when a pair by hand names a router that does not
/// exist.
Pairing pairRouters(const RoutedModel& a, const RoutedModel& b, PairsByHand byHand);

} // namespace headscope::core
