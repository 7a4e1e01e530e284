// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/statistics_export.h"

#include <iosfwd>

namespace headscope::core {

/// The kind of table that papers print: for each router one column per expert with its load and its top tokens, in Markdown
/// or LaTeX (booktabs; at most eight experts beside each other). `what.top` rows.
void writeTopTokens(std::ostream& out, TableFormat format, const Counts& counts, const StatisticsExport& what,
                    const About& about, const Progress& progress = {});

} // namespace headscope::core
