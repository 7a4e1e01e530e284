// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/table_style.h"

#include <QAbstractItemModel>
#include <QTableView>

namespace headscope::widgets {

void setTableStyle(QTableView& table, QAbstractItemModel* model, const QString& name)
{
    table.setModel(model);
    table.setAccessibleName(name);
    table.setFrameShape(QFrame::NoFrame);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTabKeyNavigation(false);
    table.setCornerButtonEnabled(false);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
}

} // namespace headscope::widgets
