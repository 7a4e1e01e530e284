// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_item_model.h"

#include "widgets/token_text.h"
#include "widgets/visible_text.h"

namespace headscope::widgets {

int TokenItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int TokenItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

const core::Token& TokenItemModel::token(int row) const
{
    return m_trace->text(m_stream).tokens[static_cast<std::size_t>(row)];
}

QVariant TokenItemModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    return cell(index.row(), index.column(), role);
}

QVariant TokenItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal)
        return section >= 0 && section < m_columns ? columnHeader(section, role) : QVariant();
    if (section < 0 || section >= m_rows)
        return {};
    switch (role) {
    case Qt::DisplayRole: {
        const auto digits = QString::number(m_rows - 1).size();
        return QString::number(section).rightJustified(digits, QChar(0x2007)) + QStringLiteral("  ") +
               visiblePiece(token(section));
    }
    case Qt::ToolTipRole:
        return tr("%1, id %2, bytes %3–%4")
            .arg(numberedPiece(token(section), section), QString::number(token(section).id),
                 QString::number(token(section).span.begin), QString::number(token(section).span.end));
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
    }
}

int TokenItemModel::rowsOf(const core::Trace* trace, int stream) const
{
    return trace && static_cast<std::size_t>(stream) < trace->streams.size() ? static_cast<int>(trace->tokens(stream)) : 0;
}

void TokenItemModel::replace(std::shared_ptr<const core::Trace> trace, int stream, int columns,
                             const std::function<void()>& assign)
{
    const int rows = columns > 0 ? rowsOf(trace.get(), stream) : 0;
    const auto take = [&] {
        m_trace = std::move(trace);
        m_stream = stream;
        m_columns = columns;
        assign();
    };
    if (columns != m_columns) {
        beginResetModel();
        take();
        m_rows = rows;
        endResetModel();
        return;
    }
    // Rows go while the former values are there, and come when the new ones are, so that no row changes while others move.
    if (rows < m_rows) {
        beginRemoveRows({}, rows, m_rows - 1);
        m_rows = rows;
        endRemoveRows();
    }
    take();
    if (m_rows > 0 && m_columns > 0) {
        Q_EMIT dataChanged(index(0, 0), index(m_rows - 1, m_columns - 1));
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, m_columns - 1);
    }
    if (rows > m_rows) {
        beginInsertRows({}, m_rows, rows - 1);
        m_rows = rows;
        endInsertRows();
    }
    if (m_rows > 0)
        Q_EMIT headerDataChanged(Qt::Vertical, 0, m_rows - 1);
}

} // namespace headscope::widgets
