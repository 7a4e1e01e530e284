// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/orientation.h"

#include <algorithm>
#include <compare>

namespace headscope::core {
namespace {

template <typename Values>
std::weak_ordering order(const Values& a, const Values& b)
{
    return std::lexicographical_compare_three_way(
        a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) -> std::weak_ordering {
            return x < y ? std::weak_ordering::less : y < x ? std::weak_ordering::greater : std::weak_ordering::equivalent;
        });
}

std::weak_ordering order(const Trace& a, const Trace& b)
{
    if (const auto sites = a.sites.size() <=> b.sites.size(); sites != 0)
        return sites;
    for (std::size_t site = 0; site < a.sites.size(); ++site) {
        const SiteRouting& x = *a.sites[site];
        const SiteRouting& y = *b.sites[site];
        for (const auto one :
             {x.router.address.toString() <=> y.router.address.toString(),
              std::strong_ordering(x.router.experts <=> y.router.experts),
              std::strong_ordering(x.router.chosen <=> y.router.chosen), std::strong_ordering(x.heads <=> y.heads)})
            if (one != 0)
                return one;
        if (const auto choices = order(x.experts, y.experts); choices != 0)
            return choices;
        if (const auto gates = order(x.gates, y.gates); gates != 0)
            return gates;
    }
    return order(a.loss, b.loss);
}

std::weak_ordering order(const RouterCounts& x, const RouterCounts& y)
{
    if (const auto address = x.router.address.toString() <=> y.router.address.toString(); address != 0)
        return address;
    for (const auto one :
         {order(x.selections, y.selections), order(x.pairs.row, y.pairs.row), order(x.pairs.expert, y.pairs.expert),
          order(x.pairs.count, y.pairs.count), order(x.groups.kind, y.groups.kind), order(x.groups.count, y.groups.count)})
        if (one != 0)
            return one;
    return std::weak_ordering::equivalent;
}

ComparedSide first(std::weak_ordering order)
{
    return order > 0 ? ComparedSide::B : ComparedSide::A;
}

} // namespace

ComparedSide firstSide(const ComparedTraces& judged, const std::optional<ComparedTraces>& fit)
{
    const auto byText = order(*judged.a, *judged.b);
    return first(byText == 0 && fit ? order(*fit->a, *fit->b) : byText);
}

ComparedSide firstSide(const Counts& a, const Counts& b)
{
    if (const auto routers = a.routers.size() <=> b.routers.size(); routers != 0)
        return first(routers);
    for (std::size_t router = 0; router < a.routers.size(); ++router)
        if (const auto one = order(a.routers[router], b.routers[router]); one != 0)
            return first(one);
    return first(a.basis.fingerprint <=> b.basis.fingerprint);
}

} // namespace headscope::core
