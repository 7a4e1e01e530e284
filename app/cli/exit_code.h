// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headscope::app {

/// How a command ended, as scripts see it.
enum class ExitCode : int {
    Done = 0,
    WrongInput = 1,  // one sentence on standard error says what is wrong and what to do
    WrongUsage = 2,  // the line itself is malformed
    Cancelled = 130, // Ctrl-C
};

} // namespace headscope::app
