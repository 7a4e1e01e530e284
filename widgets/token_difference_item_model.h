// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/counts_comparison.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <vector>

namespace headscope::widgets {

/// What the tokens of a corpus have to do with the matched experts of one pair of routers: nothing, or one row of
/// `comparison`.
struct ComparedTokens {
    std::shared_ptr<const core::CountsComparison> comparison;
    std::size_t router = 0; // of comparison->routers
    std::vector<core::TokenDifference> tokens;
};

/// A row for every token with every pair of matched experts: A | B | difference. Sorts itself; blank values come last in
/// either order.
class TokenDifferenceItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { Token, ExpertA, ExpertB, TokenA, TokenB, CountA, CountB, PmiA, PmiB, Difference, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty.
    void setTokens(std::shared_ptr<const ComparedTokens> tokens);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    void sortRows();

    std::shared_ptr<const ComparedTokens> m_tokens;
    std::vector<std::uint32_t> m_order;
    int m_sortColumn = -1; // as in the comparison
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace headscope::widgets
