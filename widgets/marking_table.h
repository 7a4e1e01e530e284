// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <set>

namespace headscope::widgets {

/// A table that outlines the cells whose value of a role is among those that are marked, and says which one the mouse is over.
/// Where cells are selected one by one, it outlines those too: their delegates fill them with other colours.
class MarkingTable : public QTableView
{
    Q_OBJECT

public:
    /// `role` gives an int; cells without one are never marked.
    explicit MarkingTable(int role, QWidget* parent = nullptr);

    void setMarked(std::set<int> values);
    const std::set<int>& marked() const { return m_marked; }

Q_SIGNALS:
    void pointedAt(int value);
    void pointedAtNothing();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void outline(QPainter& painter, const QModelIndex& index, const QColor& color) const;

    int m_role;
    std::set<int> m_marked;
};

} // namespace headscope::widgets
