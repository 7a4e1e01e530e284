// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/pools.h"

#include "core/corpus/counts.h"
#include "core/corpus/router_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace headscope::core {

std::string poolKey(const Router& router, Pooling pooling)
{
    RouterAddress address = router.address;
    switch (pooling) {
    case Pooling::None: break;
    case Pooling::Heads: address = address.wholeSite(); break;
    case Pooling::Layers: address.depth = 0; break;
    case Pooling::Repeats:
        if (!router.weightsGroup)
            break;
        address.depth = 0;
        return fmt::format("{} {}", *router.weightsGroup, address.toString());
    }
    return address.toString();
}

bool poolable(const Router& a, const Router& b)
{
    return std::tie(a.experts, a.chosen, a.gate, a.stream) == std::tie(b.experts, b.chosen, b.gate, b.stream);
}

std::vector<std::vector<std::uint32_t>> routerPools(std::span<const Router> routers)
{
    std::vector<std::vector<std::uint32_t>> pools;
    std::set<std::vector<std::uint32_t>> known;
    for (const Pooling pooling : {Pooling::Heads, Pooling::Repeats, Pooling::Layers}) {
        std::map<std::string, std::vector<std::uint32_t>> byKey;
        for (std::uint32_t router = 0; router < routers.size(); ++router)
            byKey[poolKey(routers[router], pooling)].push_back(router);
        std::vector<std::vector<std::uint32_t>> found;
        for (auto& [key, members] : byKey) {
            const bool alike = std::all_of(members.begin(), members.end(), [&](std::uint32_t member) {
                return poolable(routers[members.front()], routers[member]);
            });
            if (alike && members.size() > 1 && known.insert(members).second)
                found.push_back(std::move(members));
        }
        std::sort(found.begin(), found.end()); // by the first router, not by its name
        pools.insert(pools.end(), found.begin(), found.end());
    }
    return pools;
}

PoolTables::PoolTables(std::vector<std::uint32_t> members, const Router& router)
    : m_members(std::move(members)), m_experts(static_cast<std::size_t>(router.experts)),
      m_chosen(static_cast<std::size_t>(router.chosen)), m_positions(m_experts * m_members.size())
{
}

void PoolTables::add(std::span<const Member> members, std::span<const CountedPosition> positions)
{
    std::vector<std::uint32_t> times(m_experts, 0); // how many members chose an expert here
    std::vector<std::size_t> chosen;
    const std::lock_guard lock(m_lock);
    for (const CountedPosition& position : positions) {
        chosen.clear();
        for (const Member& member : members) {
            const std::size_t slot = member.site->slot(position.place, member.head, 0);
            for (std::size_t i = 0; i < m_chosen; ++i) {
                const auto expert = static_cast<std::size_t>(member.site->experts[slot + i]);
                if (times[expert]++ == 0)
                    chosen.push_back(expert);
            }
        }
        for (const std::size_t expert : chosen) {
            ++m_positions[cell(expert, times[expert])];
            times[expert] = 0;
        }
    }
}

void PoolTables::add(const PooledCounts& counts)
{
    const std::lock_guard lock(m_lock);
    std::transform(m_positions.begin(), m_positions.end(), counts.positions.begin(), m_positions.begin(), std::plus<>());
}

PooledCounts PoolTables::counts() const
{
    return {m_members, m_positions};
}

} // namespace headscope::core
