// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "core/compare/comparison.h"

namespace headscope::app {

/// Routers with agreement, chance and null, losses and what could not be paired, on a terminal.
void printComparison(const CommandContext& context, const core::Comparison& comparison);

} // namespace headscope::app
