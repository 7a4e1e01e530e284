// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compared_models.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// The matching of one pair of routers: a row for every expert of A with its counterpart in B, then the experts of B that
/// have none.
class ExpertPairItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { ExpertA, ExpertB, SelectionsA, SelectionsB, ShareA, ShareB, GateCorrelation, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    /// Invalid models or no such pair: empty.
    void setPair(const ComparedModels& models, std::size_t pair);
    /// A's expert of a row; none for one that only B has.
    std::optional<int> expertOfRow(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row {
        int a = -1; // experts; -1: none
        int b = -1;
        std::int64_t selectionsA = 0;
        std::int64_t selectionsB = 0;
        double shareA = 0; // of the router's selections; NaN without any
        double shareB = 0;
        double correlation = 0; // NaN where undefined
    };
    QString text(const Row& row, int column) const;
    QString toolTip(const Row& row, int column) const;

    std::vector<Row> m_rows;
};

} // namespace headscope::widgets
