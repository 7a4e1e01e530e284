// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_statistics.h"

#include <QRegularExpression>
#include <QString>

#include <vector>

namespace headscope::widgets {

/// int: the row of RouterTable that a cell is about.
inline constexpr int TableRowRole = Qt::UserRole + 20;

/// "pmi", as columns are called in exports too.
QString columnName(core::PairColumn column);

/// A value of the statistics as a cell shows it; "–" where it is blank.
QString statisticText(core::PairColumn column, double value);

/// Which rows have a name that matches: [rows]. An empty or a broken pattern matches all.
std::vector<bool> matchingRows(const RouterStatistics& statistics, const QRegularExpression& filter);

} // namespace headscope::widgets
