// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace headscope::core {

/// The one checkpoint in a folder; a path that is no folder is returned as it is. Throws Error when there is none, or more
/// than one to choose from.
std::filesystem::path checkpointFileOf(const std::filesystem::path& path);

/// By its name: it ends as checkpoints do and is not one of the other files that training leaves.
bool mayBeCheckpoint(const std::filesystem::path& file);

} // namespace headscope::core
