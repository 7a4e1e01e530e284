// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/process.h"

#include <csignal>

namespace headscope::app {

void prepareProcess()
{
    std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace headscope::app
