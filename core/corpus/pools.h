// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Routers that tables may add up, and what of them falls together. A pooled cell n(x,e) adds up what several routers chose
// at the same positions, so that its spread, and what can be explained of it, depend on how often they choose the same
// expert.

#include "core/routing/router.h"

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace headscope::core {

struct CountedPosition;
struct PooledCounts;
struct RouterCounts;

/// Which routers are added up into one table. Experts are added by their index: only the repeats of a weights group are the
/// same experts.
enum class Pooling : std::uint8_t {
    None,
    Heads,   // the routers of a site ("layers.0.self.v")
    Repeats, // applications of the same weights, per head
    Layers,  // the same block, site and head in every layer ("layers.{0,1}.self.v.h0")
};

/// The routers that are added up with this one have the same key.
std::string poolKey(const Router& router, Pooling pooling);
/// Experts, chosen experts, gates and stream are the same, so that the two can be added up.
bool poolable(const Router& a, const Router& b);
/// Every set of at least two routers that some pooling adds up, each once: indices, ascending. Sets whose routers are not
/// all alike are none.
std::vector<std::vector<std::uint32_t>> routerPools(std::span<const Router> routers);

/// Counts, of one set of routers, the positions at which c of them chose expert e. Windows may be added from any thread.
class PoolTables
{
public:
    PoolTables(std::vector<std::uint32_t> members, const Router& router);

    const std::vector<std::uint32_t>& members() const { return m_members; }
    /// `sites`: of every member, its decisions on the window, and which of their heads it is.
    struct Member {
        const SiteRouting* site = nullptr;
        int head = 0;
    };
    void add(std::span<const Member> members, std::span<const CountedPosition> positions);
    void add(const PooledCounts& counts);
    PooledCounts counts() const;

private:
    std::size_t cell(std::size_t expert, std::size_t members) const { return expert * m_members.size() + members - 1; }

    std::vector<std::uint32_t> m_members;
    std::size_t m_experts = 0;
    std::size_t m_chosen = 0;
    std::vector<std::uint64_t> m_positions; // [E, M]
    std::mutex m_lock;                      // of these
};

} // namespace headscope::core
