// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace headscope::app {

/// Throws core::Error with a sentence when a file cannot be written there (no such folder, no permission, a name that is a folder) or
/// would overwrite `model`; asked before the work begins rather than after it.
void requireWritable(const std::filesystem::path& out, const std::filesystem::path& model);

} // namespace headscope::app
