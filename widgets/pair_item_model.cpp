// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pair_item_model.h"

#include "widgets/number_text.h"
#include "widgets/statistic_text.h"
#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::widgets {

namespace {

QString words(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

std::optional<core::PairColumn> PairItemModel::statisticOf(int column)
{
    if (column < FirstStatisticColumn || column >= columns)
        return std::nullopt;
    return static_cast<core::PairColumn>(column - FirstStatisticColumn);
}

void PairItemModel::setStatistics(std::shared_ptr<const RouterStatistics> statistics)
{
    beginResetModel();
    m_statistics = std::move(statistics);
    showAnew();
    endResetModel();
}

void PairItemModel::setFilter(const QRegularExpression& filter)
{
    if (filter == m_filter)
        return;
    beginResetModel();
    m_filter = filter;
    showAnew();
    endResetModel();
}

void PairItemModel::setExpert(std::optional<int> expert)
{
    if (expert == m_expert)
        return;
    beginResetModel();
    m_expert = expert;
    showAnew();
    endResetModel();
}

void PairItemModel::showAnew()
{
    m_shown.clear();
    if (!m_statistics)
        return;
    const std::vector<bool> shown = matchingRows(*m_statistics, m_filter);
    const auto& pairs = m_statistics->pairs.pairs;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (shown[pairs[i].row] && (!m_expert || static_cast<int>(pairs[i].expert) == *m_expert))
            m_shown.push_back(static_cast<std::uint32_t>(i));
    sortRows();
}

std::vector<double> PairItemModel::keys() const
{
    const auto& pairs = m_statistics->pairs.pairs;
    std::vector<double> keys(pairs.size());
    if (m_sortColumn == TokenColumn) { // the place of a name among all names
        const std::size_t rows = m_statistics->table.rowsCount();
        std::vector<std::uint32_t> order(rows);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(
            order, {}, [this](std::uint32_t row) -> const std::string& { return (*m_statistics->table.rows)[row].text; });
        std::vector<double> place(rows);
        for (std::size_t i = 0; i < rows; ++i)
            place[order[i]] = static_cast<double>(i);
        std::ranges::transform(pairs, keys.begin(), [&](const core::PairStatistics& pair) { return place[pair.row]; });
    } else if (m_sortColumn == IdColumn) {
        std::ranges::transform(pairs, keys.begin(), [&](const core::PairStatistics& pair) {
            const auto& id = (*m_statistics->table.rows)[pair.row].id;
            return id ? static_cast<double>(*id) : std::nan("");
        });
    } else if (m_sortColumn == ExpertColumn) {
        std::ranges::transform(pairs, keys.begin(),
                               [](const core::PairStatistics& pair) { return static_cast<double>(pair.expert); });
    } else {
        const core::PairColumn column = *statisticOf(m_sortColumn);
        std::ranges::transform(pairs, keys.begin(), [&](const core::PairStatistics& pair) {
            return core::value(m_statistics->table, pair, column);
        });
    }
    return keys;
}

void PairItemModel::sortRows()
{
    const std::vector<double> key = keys();
    const auto& pairs = m_statistics->pairs.pairs;
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    std::ranges::sort(m_shown, [&](std::uint32_t a, std::uint32_t b) {
        const bool blankA = std::isnan(key[a]);
        const bool blankB = std::isnan(key[b]);
        if (blankA != blankB)
            return blankB;
        if (!blankA && key[a] != key[b])
            return descending ? key[a] > key[b] : key[a] < key[b];
        if (pairs[a].count != pairs[b].count)
            return pairs[a].count > pairs[b].count;
        return a < b; // pairs are sorted by row and expert
    });
}

void PairItemModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= columns)
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const std::vector<std::uint32_t> before = m_shown;
    m_sortColumn = column;
    m_sortOrder = order;
    if (m_statistics)
        sortRows();
    std::vector<int> rowOf(allPairs());
    for (std::size_t row = 0; row < m_shown.size(); ++row)
        rowOf[m_shown[row]] = static_cast<int>(row);
    const QModelIndexList old = persistentIndexList();
    for (const QModelIndex& index : old)
        changePersistentIndex(index, this->index(rowOf[before[static_cast<std::size_t>(index.row())]], index.column()));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

const core::PairStatistics& PairItemModel::pair(int row) const
{
    return m_statistics->pairs.pairs[m_shown[static_cast<std::size_t>(row)]];
}

int PairItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int PairItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

QVariant PairItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columns)
        return {};
    const core::PairStatistics& at = pair(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(at, index.column());
    case TableRowRole: return index.column() == TokenColumn ? QVariant(static_cast<int>(at.row)) : QVariant();
    case Qt::ToolTipRole: return toolTip(at, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() == TokenColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default: return {};
    }
}

QString PairItemModel::text(const core::PairStatistics& pair, int column) const
{
    switch (column) {
    case TokenColumn: return isolated(shortened(rowText(*m_statistics, pair.row), 40));
    case IdColumn: {
        const auto& id = (*m_statistics->table.rows)[pair.row].id;
        return id ? QString::number(*id) : QString();
    }
    case ExpertColumn: return QString::number(pair.expert);
    default: {
        const core::PairColumn statistic = *statisticOf(column);
        return statisticText(statistic, core::value(m_statistics->table, pair, statistic));
    }
    }
}

QString PairItemModel::toolTip(const core::PairStatistics& pair, int column) const
{
    const QString head = tr("%1, expert %2").arg(rowText(*m_statistics, pair.row)).arg(pair.expert);
    const auto statistic = statisticOf(column);
    if (!statistic)
        return head;
    const double value = core::value(m_statistics->table, pair, *statistic);
    const QString name = columnName(*statistic);
    if (std::isnan(value))
        return tr("%1\n%2 is blank: %3")
            .arg(head, name,
                 QString::fromStdString(core::whyBlank(m_statistics->table, m_statistics->pairs, pair, *statistic)));
    return tr("%1\n%2 = %3").arg(head, name, readableNumber(value));
}

QVariant PairItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    if (section < 0 || section >= columns)
        return {};
    const auto statistic = statisticOf(section);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == TokenColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole)
        return statistic ? columnName(*statistic)
                         : (section == TokenColumn ? tr("token")
                            : section == IdColumn  ? tr("id")
                                                   : tr("expert"));
    if (role == Qt::ToolTipRole && statistic)
        return words(core::info(*statistic).formula);
    return {};
}

} // namespace headscope::widgets
