// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace headscope::core {

/// The folders in which what belongs to a checkpoint is looked for, in this order: the one that the path names (the path
/// itself where it is a folder), and, where links lead elsewhere, the one that the file really lies in.
std::vector<std::filesystem::path> foldersBeside(const std::filesystem::path& checkpoint);

} // namespace headscope::core
