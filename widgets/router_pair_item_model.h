// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// A row for every pair of routers of a comparison with its numbers, and below them the routers that have no counterpart
/// with the reason. Sorts itself: blank values come last in either order.
class RouterPairItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        RouterA,
        RouterB,
        Agreement,
        AgreementInterval,
        Chance,
        NullMean,
        NullInterval,
        Bound,
        LoadDivergence,
        MutualInformation,
        GateCorrelation,
        Matched,
        Remark,
        Columns
    };

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty.
    void setComparison(std::shared_ptr<const core::Comparison> comparison);

    /// Which pair of Comparison::routers a row is; none for a router without a counterpart.
    std::optional<std::size_t> pairOf(int row) const;
    /// -1 when there is no such pair.
    int rowOf(std::size_t pair) const;
    /// Where a router without a counterpart says why.
    int reasonColumn(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void sortRows();
    QVariant pairData(const core::RouterComparison& pair, int column, int role) const;
    QVariant leftOverData(std::size_t place, int column, int role) const;
    const core::UnpairedRouter& leftOver(std::size_t place) const;

    std::shared_ptr<const core::Comparison> m_comparison;
    std::vector<std::size_t> m_order; // pairs
    int m_sortColumn = -1;            // as in the comparison
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace headscope::widgets
