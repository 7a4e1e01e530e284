// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heat_item_model.h"

#include "widgets/cell_roles.h"
#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

/// Tags are names: their spaces stay spaces.
QString nameText(const std::string& name)
{
    return visibleText(name).replace(QChar(spaceSign), QLatin1Char(' '));
}

} // namespace

void HeatItemModel::setTable(std::shared_ptr<const HeatTable> table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int HeatItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->rows.size());
}

int HeatItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->columns.size());
}

QVariant HeatItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const auto at =
        static_cast<std::size_t>(index.row()) * m_table->columns.size() + static_cast<std::size_t>(index.column());
    const double lift = m_table->lift[at];
    switch (role) {
    case Qt::DisplayRole: return std::isnan(lift) ? QString() : fixedNumber(lift, 2);
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignCenter);
    case ScaleRole:
        if (std::isnan(lift))
            return {};
        return lift > 0 ? 0.5 + 0.5 * std::clamp(std::log2(lift) / largestBits, -1.0, 1.0) : 0.0;
    case Qt::ToolTipRole:
        return tr("%1, %2: %3 times, share of the row %4, lift %5")
            .arg(nameText(m_table->rows[static_cast<std::size_t>(index.row())]),
                 nameText(m_table->columns[static_cast<std::size_t>(index.column())]), countText(m_table->count[at]),
                 readableNumber(m_table->share[at]), readableNumber(lift));
    default: return {};
    }
}

QVariant HeatItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (!m_table || section < 0 || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const auto& names = orientation == Qt::Horizontal ? m_table->columns : m_table->rows;
    const auto at = static_cast<std::size_t>(section);
    return at < names.size() ? QVariant(nameText(names[at])) : QVariant();
}

} // namespace headscope::widgets
