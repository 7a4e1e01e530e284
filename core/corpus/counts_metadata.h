// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: what a counts file says in its metadata, as JSON.

#include "core/corpus/counts.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace headscope::core {

inline constexpr std::string_view countsFormat = "headscope.counts";
inline constexpr std::string_view countsVersion = "1";

/// All but what is a tensor: "format", "version", "basis", "parts", "streams", "routers", "joint".
std::map<std::string, std::string> countsMetadata(const Counts& counts);

/// The reverse: counts whose tables are still empty. `fail` is called with what is wrong and does not return.
Counts countsFromMetadata(const std::map<std::string, std::string>& metadata, const std::function<void(std::string_view)>& fail);

} // namespace headscope::core
