// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace headscope::app {

/// Rows of printable text in aligned columns, two spaces apart.
class Table
{
public:
    enum class Align : std::uint8_t { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    /// As many cells as columns.
    void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    /// With the titles, unless all of them are empty.
    void print(std::ostream& out, const std::string& indent = {}) const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace headscope::app
