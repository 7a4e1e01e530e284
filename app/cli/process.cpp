// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/process.h"

#include <csignal>
#include <filesystem>

namespace headscope::app {

std::optional<std::string> prepareProcess()
{
    std::signal(SIGXFSZ, SIG_IGN);
    std::error_code gone;
    const auto folder = std::filesystem::current_path(gone);
    if (gone || folder.empty()) // libraries of the mathematics would end the process with words of their own
        return "The folder that this was started in does not exist any more; change into another one (cd) and start it there.";
    return std::nullopt;
}

} // namespace headscope::app
