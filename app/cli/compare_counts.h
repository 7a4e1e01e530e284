// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/table_output.h"
#include "core/compare/comparison.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::app {

/// `headscope compare --counts-a F --counts-b F`
struct CompareCountsLine {
    std::string a;
    std::string b;
    core::CompareSettings settings;
    std::vector<std::string> routers; // of A; empty for all
    std::int64_t minimum = 10;        // of n(t)
    bool tokens = false;              // a row for every token instead of every pair of routers
    TableOutput out;                  // none: a table on standard output
};

/// Throws core::Error, core::Cancelled.
void compareCountsFiles(const CompareCountsLine& line, const CommandContext& context);

} // namespace headscope::app
