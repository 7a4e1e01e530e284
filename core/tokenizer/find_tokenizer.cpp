// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokenizer.h"

namespace headscope::core {

std::optional<std::filesystem::path> findTokenizer(const std::filesystem::path& checkpoint, std::int64_t)
{
    std::error_code ignored;
    std::filesystem::path folder = std::filesystem::absolute(checkpoint, ignored);
    if (!std::filesystem::is_directory(folder, ignored))
        folder = folder.parent_path();
    for (int level = 0; level < 4; ++level, folder = folder.parent_path())
        for (const char* name : {"tokenizer.model", "tokenizer.spm.model", "tokenizer.model.model"})
            if (std::filesystem::is_regular_file(folder / name, ignored))
                return folder / name;
    return std::nullopt;
}

} // namespace headscope::core
