// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_map_layout.h"

#include <algorithm>
#include <map>
#include <string>

namespace headscope::widgets {

namespace {

/// Numbers layers whose routers apply the same weights: equal keys, made of the groups of all their sites.
void numberRepeats(RouterGrid& grid, const std::vector<std::string>& keys)
{
    std::map<std::string, int> uses;
    for (const auto& key : keys)
        if (!key.empty())
            ++uses[key];
    std::map<std::string, int> numbers;
    for (std::size_t row = 0; row < keys.size(); ++row) {
        const auto use = uses.find(keys[row]);
        if (use == uses.end() || use->second < 2)
            continue;
        const auto number = numbers.emplace(keys[row], static_cast<int>(numbers.size())).first;
        grid.rows[row].repeat = number->second;
    }
}

RouterColumnGroup& groupOf(RouterGrid& grid, const core::SiteRouting& site)
{
    const auto& address = site.router.address;
    const auto found = std::find_if(grid.groups.begin(), grid.groups.end(), [&](const RouterColumnGroup& group) {
        return group.block == address.block && group.site == address.site;
    });
    if (found != grid.groups.end())
        return *found;
    grid.groups.push_back({address.block, address.site, site.router.side, 0, 0});
    return grid.groups.back();
}

int rowOf(const RouterGrid& grid, const core::RouterAddress& address)
{
    const auto found = std::find_if(grid.rows.begin(), grid.rows.end(), [&](const RouterRow& row) {
        return row.stack == address.stack && row.depth == address.depth;
    });
    return static_cast<int>(found - grid.rows.begin());
}

} // namespace

RouterGrid routerGrid(std::span<const std::shared_ptr<const core::SiteRouting>> sites)
{
    RouterGrid grid;
    std::vector<std::string> keys;
    for (const auto& site : sites) {
        const auto& address = site->router.address;
        if (const auto row = static_cast<std::size_t>(rowOf(grid, address)); row == grid.rows.size()) {
            grid.rows.push_back({address.stack, address.depth, -1});
            keys.emplace_back();
        }
        if (site->router.weightsGroup)
            keys[static_cast<std::size_t>(rowOf(grid, address))] += *site->router.weightsGroup + '\n';
        auto& group = groupOf(grid, *site);
        group.columns = std::max(group.columns, site->heads);
    }
    numberRepeats(grid, keys);
    for (auto& group : grid.groups) {
        group.firstColumn = grid.columns;
        grid.columns += group.columns;
    }
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const int first = groupOf(grid, *sites[i]).firstColumn;
        for (int head = 0; head < sites[i]->heads; ++head)
            grid.cells.push_back({sites[i]->address(head), i, head, rowOf(grid, sites[i]->router.address), first + head});
    }
    std::sort(grid.cells.begin(), grid.cells.end(), [](const RouterCell& a, const RouterCell& b) {
        return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    });
    return grid;
}

std::vector<bool> repeatStarts(std::span<const RouterRow> rows)
{
    std::vector<bool> starts(rows.size(), false);
    std::size_t begin = 0; // of the repeat that a row belongs to
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const int now = rows[row].repeat;
        const int before = row > 0 ? rows[row - 1].repeat : now;
        const auto inside = rows.subspan(begin, row - begin);
        const bool cycle = std::any_of(inside.begin(), inside.end(), [now](const RouterRow& other) { return other.repeat == now; });
        const bool run = row > begin + 1 && rows[row - 2].repeat == before; // the row before was a repeat of the one before it
        const bool repeats = now >= 0 && before >= 0;
        if (row == 0 || (now != before && (!repeats || cycle || run))) {
            starts[row] = row == 0 || now >= 0 || before >= 0;
            begin = row;
        }
    }
    return starts;
}

std::optional<std::size_t> RouterGrid::cellOf(const core::RouterAddress& address) const
{
    const auto whole = address.wholeSite();
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i].address.wholeSite() == whole && cells[i].head == address.head.value_or(0))
            return i;
    return std::nullopt;
}

std::optional<std::size_t> RouterGrid::cellAt(int row, int column) const
{
    const auto found = std::lower_bound(
        cells.begin(), cells.end(), std::pair(row, column),
        [](const RouterCell& cell, std::pair<int, int> place) { return std::pair(cell.row, cell.column) < place; });
    if (found == cells.end() || found->row != row || found->column != column)
        return std::nullopt;
    return static_cast<std::size_t>(found - cells.begin());
}

std::size_t RouterGrid::neighbour(std::size_t cell, int rowStep, int columnStep) const
{
    int row = cells[cell].row + rowStep;
    int column = cells[cell].column + columnStep;
    for (; row >= 0 && row < static_cast<int>(rows.size()) && column >= 0 && column < columns;
         row += rowStep, column += columnStep)
        if (const auto next = cellAt(row, column))
            return *next;
    return cell;
}

RouterMapLayout::RouterMapLayout(const RouterGrid& grid, const RouterMapMetrics& metrics) : m_metrics(metrics)
{
    const int gaps = std::max(0, static_cast<int>(grid.groups.size()) - 1) * metrics.groupGap;
    const int room = metrics.width - 2 * metrics.margin - metrics.rowLabel - gaps;
    const int step = grid.columns > 0 ? room / grid.columns : metrics.mostCell;
    m_cellWidth = std::clamp(step - metrics.cellGap, metrics.leastCell, metrics.mostCell);
    int x = metrics.margin + metrics.rowLabel;
    for (const auto& group : grid.groups) {
        for (int column = 0; column < group.columns; ++column, x += m_cellWidth + metrics.cellGap)
            m_left.push_back(x);
        x += metrics.groupGap;
    }
    const std::vector<bool> starts = repeatStarts(grid.rows);
    int y = metrics.margin + metrics.header;
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
        if (row > 0 && grid.rows[row].stack != grid.rows[row - 1].stack)
            y += metrics.stackGap;
        else if (row > 0 && starts[row])
            y += metrics.repeatGap;
        m_top.push_back(y);
        y += metrics.cellHeight + metrics.cellGap;
    }
    m_size = {x - metrics.groupGap - metrics.cellGap + metrics.margin, y - metrics.cellGap + metrics.margin};
}

QRect RouterMapLayout::cell(int row, int column) const
{
    return {m_left[static_cast<std::size_t>(column)], m_top[static_cast<std::size_t>(row)], m_cellWidth,
            m_metrics.cellHeight};
}

QRect RouterMapLayout::rowLabel(int row) const
{
    return {m_metrics.margin, m_top[static_cast<std::size_t>(row)], m_metrics.rowLabel, m_metrics.cellHeight};
}

QRect RouterMapLayout::groupHeader(const RouterColumnGroup& group) const
{
    const int left = m_left[static_cast<std::size_t>(group.firstColumn)];
    const int right = m_left[static_cast<std::size_t>(group.firstColumn + group.columns - 1)] + m_cellWidth;
    return {left, m_metrics.margin, right - left, m_metrics.header};
}

std::optional<std::pair<int, int>> RouterMapLayout::at(QPoint point) const
{
    const auto place = [](const std::vector<int>& starts, int value, int extent) -> std::optional<int> {
        const auto after = std::upper_bound(starts.begin(), starts.end(), value);
        if (after == starts.begin() || value >= *(after - 1) + extent)
            return std::nullopt;
        return static_cast<int>(after - starts.begin()) - 1;
    };
    const auto row = place(m_top, point.y(), m_metrics.cellHeight);
    const auto column = place(m_left, point.x(), m_cellWidth);
    return row && column ? std::optional(std::pair(*row, *column)) : std::nullopt;
}

} // namespace headscope::widgets
