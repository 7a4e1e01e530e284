// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headscope::app {

/// What both programs do first: a file that becomes larger than allowed (ulimit -f) is an error of the function that writes
/// it instead of the end of the process.
void prepareProcess();

} // namespace headscope::app
