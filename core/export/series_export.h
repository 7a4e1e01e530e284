// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/series.h"
#include "core/export/data_table.h"

#include <iosfwd>
#include <string>

namespace headscope::core {

/// A row for every step and router ("all" for their mean), by ascending step.
void writeSeries(std::ostream& out, TableFormat format, const Series& series, const std::string& program);

} // namespace headscope::core
