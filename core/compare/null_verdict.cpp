// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison.h"

#include <boost/math/distributions/beta.hpp>

namespace headscope::core {

std::string_view toString(NullVerdict verdict)
{
    switch (verdict) {
    case NullVerdict::None: return "";
    case NullVerdict::Inside: return "inside";
    case NullVerdict::AtEdge: return "at the edge";
    case NullVerdict::Above: return "above";
    }
    return "";
}

NullVerdict nullVerdict(int exceeded, int draws)
{
    constexpr double threshold = 0.025; // beyond the upper end of the null's 95 % range
    constexpr double tail = 0.025;      // of the interval of the share
    if (draws <= 0)
        return NullVerdict::None;
    using boost::math::beta_distribution;
    const double low = exceeded == 0 ? 0 : boost::math::quantile(beta_distribution<>(exceeded, draws - exceeded + 1), tail);
    const double high =
        exceeded == draws
            ? 1
            : boost::math::quantile(boost::math::complement(beta_distribution<>(exceeded + 1, draws - exceeded), tail));
    return high < threshold ? NullVerdict::Above : low > threshold ? NullVerdict::Inside : NullVerdict::AtEdge;
}

} // namespace headscope::core
