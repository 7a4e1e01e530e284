// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/beside.h"

namespace headscope::core {

namespace fs = std::filesystem;

std::vector<fs::path> foldersBeside(const fs::path& checkpoint)
{
    std::error_code ignored;
    const bool folder = fs::is_directory(checkpoint, ignored);
    const auto own = [folder](const fs::path& path) { return folder && path.has_filename() ? path : path.parent_path(); };
    std::vector<fs::path> folders{own(fs::absolute(checkpoint, ignored).lexically_normal())};
    const fs::path target = fs::canonical(checkpoint, ignored);
    if (!target.empty() && own(target) != folders.front())
        folders.push_back(own(target));
    return folders;
}

} // namespace headscope::core
