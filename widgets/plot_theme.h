// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QFont>

class QCustomPlot;

namespace headscope::widgets {

/// Background, axes and grids of a plot as everything else is drawn.
void setPlotTheme(QCustomPlot& plot, const Theme& theme, const QFont& font);

} // namespace headscope::widgets
