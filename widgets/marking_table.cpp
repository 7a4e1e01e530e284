// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/marking_table.h"

#include "widgets/theme.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

MarkingTable::MarkingTable(int role, QWidget* parent) : QTableView(parent), m_role(role)
{
    setMouseTracking(true);
}

void MarkingTable::setMarked(std::set<int> values)
{
    if (values == m_marked)
        return;
    m_marked = std::move(values);
    viewport()->update();
}

void MarkingTable::outline(QPainter& painter, const QModelIndex& index, const QColor& color) const
{
    painter.setPen(QPen(color, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.drawRect(QRectF(visualRect(index)).adjusted(1, 1, -1, -1));
}

/// Only the cells that are seen are asked.
void MarkingTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    if (!model() || model()->rowCount() == 0)
        return;
    QPainter painter(viewport());
    const Theme theme = themeOf(palette());
    if (selectionBehavior() == SelectItems && selectionModel())
        for (const QModelIndex& index : selectionModel()->selectedIndexes())
            outline(painter, index, theme.highlight);
    if (m_marked.empty())
        return;
    const int first = std::max(rowAt(0), 0);
    const int below = rowAt(viewport()->height() - 1);
    const int last = below < 0 ? model()->rowCount() - 1 : below;
    for (int row = first; row <= last; ++row) {
        for (int column = 0; column < model()->columnCount(); ++column) {
            const QModelIndex index = model()->index(row, column);
            const QVariant value = isColumnHidden(column) ? QVariant() : index.data(m_role);
            if (value.isValid() && m_marked.contains(value.toInt()))
                outline(painter, index, theme.hover);
        }
    }
}

void MarkingTable::mouseMoveEvent(QMouseEvent* event)
{
    QTableView::mouseMoveEvent(event);
    const QVariant value = indexAt(event->position().toPoint()).data(m_role);
    if (value.isValid())
        Q_EMIT pointedAt(value.toInt());
    else
        Q_EMIT pointedAtNothing();
}

void MarkingTable::leaveEvent(QEvent* event)
{
    QTableView::leaveEvent(event);
    Q_EMIT pointedAtNothing();
}

} // namespace headscope::widgets
