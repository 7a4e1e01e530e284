// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/contexts.h"
#include "core/export/data_table.h"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>

namespace headscope::core {

/// What was asked for, for the reader of the file.
struct ContextsExport {
    std::string program;       // "Headscope 0.1.0"
    std::string note;          // what the user says about the corpus; empty for nothing
    std::string row;           // "token ▁the", "word river"
    std::string routers;       // address, or a pattern of several that were added up
    std::optional<int> expert; // nullopt: all occurrences were listed together
    std::size_t limit = 0;     // contexts that were kept
};

/// Long tables (CSV, TSV, JSON) hold everything, the raw text included; Markdown and LaTeX what a reader looks at.
void writeContexts(std::ostream& out, TableFormat format, const Contexts& contexts, const ContextsExport& what);

/// "12:0.83 3:0.41": the chosen experts with their gates, descending.
std::string expertsText(const Context& context);

} // namespace headscope::core
