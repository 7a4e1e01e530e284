// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_statistics.h"

#include <QAbstractTableModel>
#include <QRegularExpression>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// The kind of table that papers print: a column for every expert, under each other the tokens with the highest value of a
/// column of the statistics. Cells take the expert's colour, the stronger the more of the token's occurrences choose it.
class TopTokensItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    static constexpr int most = 200; // tokens under each other

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty.
    void setStatistics(std::shared_ptr<const RouterStatistics> statistics);
    void setOrder(core::PairColumn column);
    /// Tokens that do not match are left out; an empty pattern matches all.
    void setFilter(const QRegularExpression& filter);

    core::PairColumn order() const { return m_order; }
    /// nullptr where the expert has fewer tokens.
    const core::PairStatistics* pair(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void sortAnew();
    QString toolTip(const core::PairStatistics& pair) const;

    std::shared_ptr<const RouterStatistics> m_statistics;
    core::PairColumn m_order = core::PairColumn::Pmi;
    QRegularExpression m_filter;
    std::vector<std::vector<std::size_t>> m_lists; // [E] of indices into the pairs
    int m_rows = 0;
};

} // namespace headscope::widgets
