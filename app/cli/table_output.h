// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/data_table.h"

#include <functional>
#include <iosfwd>
#include <string>

namespace CLI {
class App;
}

namespace headscope::app {

/// --out and --excel of the commands that write tables. Has to outlive the parsing.
class TableOutput
{
public:
    /// `description` of --out; the formats are those of core::tableFormat.
    void add(CLI::App& app, const std::string& description);
    /// Throws UsageError when the name says no format, or --excel does not go with it.
    void check(const CLI::App& app) const;

    bool given() const { return !m_path.empty(); }
    const std::string& path() const { return m_path; }
    core::TableFormat format() const;
    /// The file appears when `table` has written it whole.
    void write(const std::function<void(std::ostream& out, core::TableFormat format)>& table) const;

private:
    std::string m_path;
    bool m_excel = false;
};

} // namespace headscope::app
