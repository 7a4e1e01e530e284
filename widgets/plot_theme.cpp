// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot_theme.h"

#include "widgets/custom_plot.h"

namespace headscope::widgets {

void setPlotTheme(QCustomPlot& plot, const Theme& theme, const QFont& font)
{
    plot.setBackground(theme.base);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
        axis->setBasePen(QPen(theme.border));
        axis->setTickPen(QPen(theme.border));
        axis->setSubTickPen(QPen(theme.border));
        axis->setTickLabelColor(theme.mutedText);
        axis->setLabelColor(theme.mutedText);
        axis->setTickLabelFont(font);
        axis->setLabelFont(font);
        axis->grid()->setPen(QPen(theme.grid));
        axis->grid()->setZeroLinePen(QPen(theme.border));
    }
    plot.legend->setBrush(theme.base);
    plot.legend->setBorderPen(QPen(theme.border));
    plot.legend->setTextColor(theme.text);
    plot.legend->setFont(font);
}

} // namespace headscope::widgets
