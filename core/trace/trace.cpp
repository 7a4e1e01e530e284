// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/trace.h"

namespace headscope::core {

/// Where token 0 would lie among the keys of a segment: behind those of all segments before, less the tokens that it does not see.
std::int64_t AttentionKeep::firstKeyRow(std::int64_t block) const
{
    const auto back = visibility.segmentsBack;
    const auto remembered = block <= back ? block * (block - 1) / 2 : back * (back - 1) / 2 + (block - back) * back; // segments, by those before
    return (block + remembered - visibility.oldestSegment(block)) * visibility.segment;
}

const SiteRouting* Trace::site(const RouterAddress& address) const
{
    const auto wanted = address.wholeSite();
    for (const auto& site : sites)
        if (site->router.address == wanted)
            return site.get();
    return nullptr;
}

const AttentionKeep* Trace::block(const MapAddress& address) const
{
    for (const auto& kept : attention)
        if (kept->address == address)
            return kept.get();
    return nullptr;
}

} // namespace headscope::core
