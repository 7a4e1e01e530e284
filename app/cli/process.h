// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace headscope::app {

/// What both programs do first: a file that becomes larger than allowed (ulimit -f) is an error of the function that writes it instead of the
/// end of the process. Returns a sentence when the program cannot work where it was started.
std::optional<std::string> prepareProcess();

} // namespace headscope::app
