// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string_view>

namespace headscope::app {

/// Throws core::Error with a sentence when a file cannot be written there (no such folder, no permission, a name that is a folder) or
/// would overwrite the input (`kind` names it: "checkpoint"); asked before the work begins rather than after it.
void requireWritable(const std::filesystem::path& out, const std::filesystem::path& input, std::string_view kind = "checkpoint");

} // namespace headscope::app
