// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output_file.h"

#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace headscope::app {

namespace fs = std::filesystem;

void requireWritable(const fs::path& out, const fs::path& input, std::string_view kind)
{
    std::error_code ignored;
    const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
    if (!fs::exists(folder, ignored))
        throw core::Error(fmt::format("The folder {} of --out does not exist; create it first.", core::shown(folder)));
    if (!fs::is_directory(folder, ignored))
        throw core::Error(fmt::format("{} of --out is not a folder.", core::shown(folder)));
    const fs::file_status status = fs::status(out, ignored);
    if (fs::is_directory(status))
        throw core::Error(fmt::format("{} is a folder; give --out the name of a file.", core::shown(out)));
    if (fs::equivalent(out, input, ignored))
        throw core::Error(fmt::format("--out would overwrite the {} {}; give it another name.", kind, core::shown(out)));
    const bool ordinary = !fs::exists(status) || fs::is_regular_file(status); // a pipe or a device is written in place
    if (access((ordinary ? folder : out).c_str(), W_OK) != 0)
        throw core::Error(fmt::format("Nothing can be written to {}: {}.", core::shown(ordinary ? folder : out),
                                      std::generic_category().message(errno)));
}

} // namespace headscope::app
