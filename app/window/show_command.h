// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

namespace headscope::app {

/// `headscope show`: the window of a checkpoint and a text as a picture, for machines without a display, and its routing as
/// a table.
void runShow(const Arguments& arguments, const CommandContext& context);

} // namespace headscope::app
