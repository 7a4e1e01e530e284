// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/top_tokens_item_model.h"

#include "widgets/cell_roles.h"
#include "widgets/expert_swatch.h"
#include "widgets/number_text.h"
#include "widgets/statistic_text.h"
#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

void TopTokensItemModel::setStatistics(std::shared_ptr<const RouterStatistics> statistics)
{
    beginResetModel();
    m_statistics = std::move(statistics);
    sortAnew();
    endResetModel();
}

void TopTokensItemModel::setOrder(core::PairColumn column)
{
    if (column == m_order)
        return;
    beginResetModel();
    m_order = column;
    sortAnew();
    endResetModel();
}

void TopTokensItemModel::setFilter(const QRegularExpression& filter)
{
    if (filter == m_filter)
        return;
    beginResetModel();
    m_filter = filter;
    sortAnew();
    endResetModel();
}

void TopTokensItemModel::sortAnew()
{
    m_lists.clear();
    m_rows = 0;
    if (!m_statistics)
        return;
    m_lists.resize(static_cast<std::size_t>(m_statistics->table.experts));
    const std::vector<bool> shown = matchingRows(*m_statistics, m_filter);
    for (const std::size_t at : core::sortedByExpert(m_statistics->table, m_statistics->pairs, m_order, 0)) {
        const core::PairStatistics& pair = m_statistics->pairs.pairs[at];
        auto& list = m_lists[pair.expert];
        if (shown[pair.row] && list.size() < most)
            list.push_back(at);
        m_rows = std::max(m_rows, static_cast<int>(list.size()));
    }
}

const core::PairStatistics* TopTokensItemModel::pair(const QModelIndex& index) const
{
    if (!index.isValid() || static_cast<std::size_t>(index.column()) >= m_lists.size())
        return nullptr;
    const auto& list = m_lists[static_cast<std::size_t>(index.column())];
    const auto row = static_cast<std::size_t>(index.row());
    return row < list.size() ? &m_statistics->pairs.pairs[list[row]] : nullptr;
}

int TopTokensItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int TopTokensItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lists.size());
}

QVariant TopTokensItemModel::data(const QModelIndex& index, int role) const
{
    const core::PairStatistics* at = pair(index);
    if (!at)
        return {};
    switch (role) {
    case Qt::DisplayRole: {
        const QString value = statisticText(m_order, core::value(m_statistics->table, *at, m_order));
        return isolated(shortened(rowText(*m_statistics, at->row), 18)) + QStringLiteral("  ") + value;
    }
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    case ExpertRole: return static_cast<int>(at->expert);
    case StrengthRole: {
        const auto all = static_cast<double>(m_statistics->table.rowCounts[at->row]);
        return all > 0 ? static_cast<double>(at->count) / all : 0.0;
    }
    case TableRowRole: return static_cast<int>(at->row);
    case Qt::ToolTipRole: return toolTip(*at);
    default: return {};
    }
}

QString TopTokensItemModel::toolTip(const core::PairStatistics& pair) const
{
    const auto all = m_statistics->table.rowCounts[pair.row];
    QString text =
        tr("%1, expert %2\nchosen at %3 of its %4 positions")
            .arg(rowText(*m_statistics, pair.row), QString::number(pair.expert), countText(pair.count), countText(all));
    for (const core::PairColumn column : {core::PairColumn::Pmi, core::PairColumn::NullPmi, core::PairColumn::Q}) {
        const double value = core::value(m_statistics->table, pair, column);
        text += QStringLiteral("\n%1 %2").arg(columnName(column), statisticText(column, value));
    }
    return text;
}

QVariant TopTokensItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (!m_statistics || section < 0)
        return {};
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section >= columnCount())
        return {};
    const core::ExpertSummary& expert = m_statistics->summary.experts[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole: return tr("%1 (%2 %)").arg(section).arg(fixedNumber(100 * expert.share, 1));
    case Qt::DecorationRole: return expertSwatch(section);
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return tr("expert %1: %2 of the selections, mean gate %3, as many tokens as %4 equally frequent ones")
            .arg(QString::number(section), readableNumber(expert.share), readableNumber(expert.meanGate),
                 fixedNumber(expert.effectiveTokens, 1));
    default: return {};
    }
}

} // namespace headscope::widgets
