// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/trace.h"

namespace headscope::core {

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
