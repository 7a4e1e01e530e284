// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/cli/driver.h"

#include <sys/resource.h>

#include <optional>

namespace headscope::app::testing {

/// How a program is started: what only a process of its own can show.
struct Start {
    std::optional<rlim_t> fileBytes = {};    // RLIMIT_FSIZE
    std::optional<rlim_t> addressBytes = {}; // RLIMIT_AS
    std::filesystem::path folder = {};       // it begins in; deleted before it does, where `folderGone` is set
    bool folderGone = false;
    std::filesystem::path input = {}; // standard input comes from this file
    int signal = 0;                   // sent as soon as `signalWhen` exists
    std::filesystem::path signalWhen = {};
    bool ignoresHangUp = false;
};

/// Runs headscope-cli. `code` is 128 and the signal where a signal ended it.
Outcome runProgram(const Arguments& arguments, const Start& start = {});

} // namespace headscope::app::testing
