// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"

#include <string>
#include <vector>

namespace headscope::app {

/// The blocks whose address matches one of the patterns (`all`, `none`, or shell patterns as `layers.[01].self`), in order of the
/// forward pass. Throws core::Error with the addresses there are when a pattern matches nothing.
std::vector<core::MapAddress> selectMaps(const core::ModelInfo& info, const std::vector<std::string>& patterns);

/// The routers whose address, with or without its head, matches one of the patterns. Throws as selectMaps.
std::vector<core::RouterAddress> selectRouters(const core::ModelInfo& info, const std::vector<std::string>& patterns);
std::vector<core::RouterAddress> selectRouters(const std::vector<core::RouterAddress>& routers, const std::vector<std::string>& patterns);

} // namespace headscope::app
