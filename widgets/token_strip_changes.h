// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_shades.h"
#include "widgets/token_strip_layout.h"

#include <cstddef>

namespace headscope::widgets {

/// Everything that decides how the chips of a strip look, but font and theme.
struct StripContents {
    StripItems items;
    TokenStripLayout layout;
    RouterShades shades;
};

/// The line looks the same in both; false when one of them has no such line.
bool sameLine(const StripContents& before, const StripContents& after, std::size_t line);

} // namespace headscope::widgets
