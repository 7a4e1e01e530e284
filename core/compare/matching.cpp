// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/matching.h"

#include <algorithm>
#include <limits>

namespace headscope::core {
namespace {

/// The cheapest columns for every row, rows <= columns. Rows whose cheapest column is free take it; the others enter one
/// after the other, each along the shortest augmenting path.
std::vector<int> cheapest(const std::vector<double>& cost, std::size_t rows, std::size_t columns)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    // Numbers from 1; 0 is "none".
    std::vector<double> ofRow(rows + 1, 0), ofColumn(columns + 1, 0); // potentials
    std::vector<std::size_t> rowAt(columns + 1, 0), before(columns + 1, 0);
    std::vector<std::size_t> waiting;
    for (std::size_t row = 1; row <= rows; ++row) {
        const auto first = cost.begin() + static_cast<std::ptrdiff_t>((row - 1) * columns);
        const auto least = std::min_element(first, first + static_cast<std::ptrdiff_t>(columns));
        const auto column = static_cast<std::size_t>(least - first) + 1;
        ofRow[row] = *least;
        if (rowAt[column] == 0)
            rowAt[column] = row;
        else
            waiting.push_back(row);
    }
    for (const std::size_t row : waiting) {
        rowAt[0] = row;
        std::size_t column = 0;
        std::vector<double> slack(columns + 1, infinite);
        std::vector<char> visited(columns + 1, 0);
        while (rowAt[column] != 0) {
            visited[column] = 1;
            const std::size_t here = rowAt[column];
            std::size_t next = 0;
            double least = infinite;
            for (std::size_t j = 1; j <= columns; ++j) {
                if (visited[j])
                    continue;
                const double reduced = cost[(here - 1) * columns + j - 1] - ofRow[here] - ofColumn[j];
                if (reduced < slack[j]) {
                    slack[j] = reduced;
                    before[j] = column;
                }
                if (slack[j] < least) {
                    least = slack[j];
                    next = j;
                }
            }
            for (std::size_t j = 0; j <= columns; ++j) {
                if (visited[j]) {
                    ofRow[rowAt[j]] += least;
                    ofColumn[j] -= least;
                } else {
                    slack[j] -= least;
                }
            }
            column = next;
        }
        for (; column != 0; column = before[column])
            rowAt[column] = rowAt[before[column]];
    }
    std::vector<int> columnOf(rows, -1);
    for (std::size_t j = 1; j <= columns; ++j)
        if (rowAt[j] != 0)
            columnOf[rowAt[j] - 1] = static_cast<int>(j - 1);
    return columnOf;
}

} // namespace

std::vector<int> bestAssignment(std::span<const double> values, int rows, int columns)
{
    const auto r = static_cast<std::size_t>(std::max(rows, 0));
    const auto c = static_cast<std::size_t>(std::max(columns, 0));
    if (r == 0 || c == 0)
        return std::vector<int>(r, -1);
    std::vector<double> cost(r * c);
    if (r <= c) {
        std::transform(values.begin(), values.end(), cost.begin(), [](double value) { return -value; });
        return cheapest(cost, r, c);
    }
    for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = 0; j < c; ++j)
            cost[j * r + i] = -values[i * c + j];
    const auto rowOf = cheapest(cost, c, r);
    std::vector<int> columnOf(r, -1);
    for (std::size_t j = 0; j < c; ++j)
        columnOf[static_cast<std::size_t>(rowOf[j])] = static_cast<int>(j);
    return columnOf;
}

} // namespace headscope::core
