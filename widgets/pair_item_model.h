// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_statistics.h"

#include <QAbstractTableModel>
#include <QRegularExpression>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// The long table: a row for every pair of token and expert that occurred, with all statistics. Sorts and filters itself,
/// for it may have hundreds of thousands of rows.
class PairItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { TokenColumn, IdColumn, ExpertColumn, FirstStatisticColumn };
    static constexpr int columns = FirstStatisticColumn + core::pairColumns;

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty.
    void setStatistics(std::shared_ptr<const RouterStatistics> statistics);
    /// Tokens that do not match are left out; an empty or a broken pattern matches all.
    void setFilter(const QRegularExpression& filter);
    /// Only the pairs of this expert.
    void setExpert(std::optional<int> expert);

    /// Rows before filtering.
    std::size_t allPairs() const { return m_statistics ? m_statistics->pairs.pairs.size() : 0; }
    const core::PairStatistics& pair(int row) const;
    int sortColumn() const { return m_sortColumn; }
    Qt::SortOrder sortOrder() const { return m_sortOrder; }

    static int columnOf(core::PairColumn column) { return FirstStatisticColumn + static_cast<int>(column); }
    /// nullopt for a column that is no statistic.
    static std::optional<core::PairColumn> statisticOf(int column);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    /// Blank values come last in either order; ties by n(t,e) descending, then by row and expert.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void showAnew();
    void sortRows();
    std::vector<double> keys() const; // [pairs], of the column that sorts
    QString text(const core::PairStatistics& pair, int column) const;
    QString toolTip(const core::PairStatistics& pair, int column) const;

    std::shared_ptr<const RouterStatistics> m_statistics;
    QRegularExpression m_filter;
    std::optional<int> m_expert;
    int m_sortColumn = columnOf(core::PairColumn::Pmi);
    Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
    std::vector<std::uint32_t> m_shown; // indices into the pairs
};

} // namespace headscope::widgets
