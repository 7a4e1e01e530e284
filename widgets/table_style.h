// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;

namespace headscope::widgets {

/// A table of data as every view shows it: no frame and no grid, rows selected whole, lines not wrapped, scrolled by pixels,
/// Tab leaves it. `name` is for screen readers.
void setTableStyle(QTableView& table, QAbstractItemModel* model, const QString& name);

} // namespace headscope::widgets
