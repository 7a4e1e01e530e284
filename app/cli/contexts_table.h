// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/contexts.h"
#include "core/export/contexts_export.h"

#include <iosfwd>
#include <optional>
#include <string>

namespace headscope::app {

/// Keyword in context, a line each, the keyword in the middle: first where the expert was chosen, then counter-examples.
void printContexts(std::ostream& out, const core::Contexts& contexts, const core::ContextsExport& what);

/// "found 3480 times in 2300 windows; 400 of them were run: expert 3 was chosen at 410 of 612 positions"
std::string contextsSummary(const core::Contexts& contexts, std::optional<int> expert);

} // namespace headscope::app
