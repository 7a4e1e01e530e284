// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_statistics.h"

#include <QAbstractTableModel>

#include <memory>

namespace headscope::widgets {

/// A small table of what goes together, coloured by log2 lift on the diverging scale: the neutral colour is chance, both
/// ends are a fourth or four times of it, or beyond.
class HeatItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    static constexpr double largestBits = 2; // log2 lift at the ends of the scale

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty.
    void setTable(std::shared_ptr<const HeatTable> table);
    const HeatTable* table() const { return m_table.get(); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const HeatTable> m_table;
};

} // namespace headscope::widgets
