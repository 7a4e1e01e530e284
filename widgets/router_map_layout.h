// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <QPoint>
#include <QRect>
#include <QSize>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace headscope::widgets {

/// One router in the map.
struct RouterCell {
    core::RouterAddress address;
    std::size_t site = 0; // in Trace::sites
    int head = 0;
    int row = 0;
    int column = 0;
};

/// Columns of one site: "self v", "ffn mlp".
struct RouterColumnGroup {
    core::Block block = core::Block::Self;
    core::Site site = core::Site::O;
    core::Side side = core::Side::Destination;
    int firstColumn = 0;
    int columns = 0; // heads
};

/// A layer. Layers that apply the same weights have the same `repeat`, numbered from 0; -1 when no other layer does.
struct RouterRow {
    core::Stack stack = core::Stack::None;
    int depth = 0;
    int repeat = -1;
};

/// Which rows begin a repeat: "a b a b" has two of two rows, "a a b b" two of two, "a a a" and rows without repeats begin none but the first.
std::vector<bool> repeatStarts(std::span<const RouterRow> rows);

/// What is in the map: layers from the input up, columns by site in the order of the forward pass.
struct RouterGrid {
    std::vector<RouterRow> rows;
    std::vector<RouterColumnGroup> groups;
    std::vector<RouterCell> cells; // by row, then column
    int columns = 0;

    std::optional<std::size_t> cellOf(const core::RouterAddress& address) const;
    /// The cell at a place; nothing when that layer has no such router.
    std::optional<std::size_t> cellAt(int row, int column) const;
    /// The next cell from one in a direction, passing over places without a router; the cell itself when there is none.
    std::size_t neighbour(std::size_t cell, int rowStep, int columnStep) const;
};
RouterGrid routerGrid(std::span<const std::shared_ptr<const core::SiteRouting>> sites);

/// Sizes in pixels that the map's layout needs.
struct RouterMapMetrics {
    int width = 240; // of the space to fill; cells never get narrower than leastCell
    int margin = 8;
    int rowLabel = 40;
    int header = 32;
    int groupGap = 8;
    int stackGap = 14; // between encoder and decoder
    int repeatGap = 8; // between repeats of layers that apply the same weights
    int leastCell = 10;
    int mostCell = 30;
    int cellHeight = 20;
    int cellGap = 2;

    bool operator==(const RouterMapMetrics&) const = default;
};

/// Where the cells of a grid are. A plain value, known to no widget.
class RouterMapLayout
{
public:
    RouterMapLayout() = default;
    RouterMapLayout(const RouterGrid& grid, const RouterMapMetrics& metrics);

    QRect cell(int row, int column) const;
    QRect rowLabel(int row) const;
    QRect groupHeader(const RouterColumnGroup& group) const;
    QSize size() const { return m_size; }
    /// (row, column) under a point; the gaps between cells belong to none.
    std::optional<std::pair<int, int>> at(QPoint point) const;

private:
    RouterMapMetrics m_metrics;
    std::vector<int> m_left; // of columns
    std::vector<int> m_top;  // of rows
    int m_cellWidth = 0;
    QSize m_size;
};

} // namespace headscope::widgets
