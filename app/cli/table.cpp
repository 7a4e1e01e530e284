// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include "app/cli/printable.h"

#include <algorithm>
#include <ostream>

namespace headscope::app {

void Table::print(std::ostream& out, const std::string& indent) const
{
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        titles.push_back(m_columns[column].title);
        std::size_t width = displayWidth(titles.back());
        for (const auto& row : m_rows)
            width = std::max(width, displayWidth(row[column]));
        widths.push_back(width);
    }
    const auto printRow = [&](const std::vector<std::string>& cells) {
        std::string line = indent;
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const std::string blank(widths[column] - displayWidth(cells[column]), ' ');
            line += m_columns[column].align == Align::Right ? blank + cells[column] : cells[column] + blank;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    };
    if (std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); }))
        printRow(titles);
    for (const auto& row : m_rows)
        printRow(row);
}

} // namespace headscope::app
