// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_difference_item_model.h"

#include "widgets/compared_models.h"
#include "widgets/expert_swatch.h"
#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::widgets {

namespace {

using Model = TokenDifferenceItemModel;

double valueOf(const core::TokenDifference& row, int column)
{
    switch (column) {
    case Model::ExpertA: return row.expertA;
    case Model::ExpertB: return row.expertB;
    case Model::TokenA: return static_cast<double>(row.tokenA);
    case Model::TokenB: return static_cast<double>(row.tokenB);
    case Model::CountA: return static_cast<double>(row.countA);
    case Model::CountB: return static_cast<double>(row.countB);
    case Model::PmiA: return row.pmiA;
    case Model::PmiB: return row.pmiB;
    default: return row.difference;
    }
}

QString pieceText(const core::TokenDifference& row)
{
    core::Token token;
    token.id = row.id;
    token.piece = row.piece;
    return visiblePiece(token);
}

QString textOf(const core::TokenDifference& row, int column)
{
    switch (column) {
    case Model::Token: return isolated(shortened(pieceText(row), 40));
    case Model::ExpertA: return QString::number(row.expertA);
    case Model::ExpertB: return matchedName(row.expertA, row.expertB, core::Matching::Coselection);
    case Model::TokenA: return countText(row.tokenA);
    case Model::TokenB: return countText(row.tokenB);
    case Model::CountA: return countText(row.countA);
    case Model::CountB: return countText(row.countB);
    default: break;
    }
    const double value = valueOf(row, column);
    return std::isnan(value) ? QString() : fixedNumber(value, 2);
}

} // namespace

void TokenDifferenceItemModel::setTokens(std::shared_ptr<const ComparedTokens> tokens)
{
    beginResetModel();
    m_tokens = std::move(tokens);
    m_order.resize(m_tokens ? m_tokens->tokens.size() : 0);
    sortRows();
    endResetModel();
}

int TokenDifferenceItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int TokenDifferenceItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QVariant TokenDifferenceItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= Columns)
        return {};
    const core::TokenDifference& row = m_tokens->tokens[m_order[static_cast<std::size_t>(index.row())]];
    switch (role) {
    case Qt::DisplayRole: return textOf(row, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() <= ExpertB ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        return index.column() == ExpertA || index.column() == ExpertB ? QVariant(expertSwatch(row.expertA)) : QVariant();
    case Qt::ToolTipRole:
        if (index.column() >= PmiA && std::isnan(valueOf(row, index.column())))
            return tr("Blank: one of the models never chose this expert for the token, or the token is too rare there");
        return tr("%1 (%2), expert %3 of A and %4 of B")
            .arg(isolated(pieceText(row)))
            .arg(row.id)
            .arg(row.expertA)
            .arg(row.expertB);
    default: return {};
    }
}

QVariant TokenDifferenceItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical || section < 0 || section >= Columns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section <= ExpertB ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Token: return tr("token");
    case ExpertA: return tr("expert of A");
    case ExpertB: return tr("expert of B");
    case TokenA: return tr("n(t) of A");
    case TokenB: return tr("n(t) of B");
    case CountA: return tr("n(t,e) of A");
    case CountB: return tr("n(t,e) of B");
    case PmiA: return tr("PMI of A");
    case PmiB: return tr("PMI of B");
    default: return tr("B − A");
    }
}

void TokenDifferenceItemModel::sortRows()
{
    std::iota(m_order.begin(), m_order.end(), 0U);
    if (m_sortColumn < 0 || !m_tokens)
        return;
    const auto& rows = m_tokens->tokens;
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    std::ranges::stable_sort(m_order, [&](std::uint32_t x, std::uint32_t y) {
        if (m_sortColumn == Token)
            return descending ? rows[y].piece < rows[x].piece : rows[x].piece < rows[y].piece;
        const double keyX = valueOf(rows[x], m_sortColumn);
        const double keyY = valueOf(rows[y], m_sortColumn);
        if (std::isnan(keyX) || std::isnan(keyY))
            return !std::isnan(keyX) && std::isnan(keyY);
        return descending ? keyX > keyY : keyX < keyY;
    });
}

void TokenDifferenceItemModel::sort(int column, Qt::SortOrder order)
{
    if (column >= Columns)
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const std::vector<std::uint32_t> before = m_order;
    m_sortColumn = column;
    m_sortOrder = order;
    sortRows();
    std::vector<int> rowOf(m_order.size());
    for (std::size_t row = 0; row < m_order.size(); ++row)
        rowOf[m_order[row]] = static_cast<int>(row);
    const QModelIndexList old = persistentIndexList();
    for (const QModelIndex& index : old)
        changePersistentIndex(index, this->index(rowOf[before[static_cast<std::size_t>(index.row())]], index.column()));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

} // namespace headscope::widgets
