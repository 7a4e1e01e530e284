// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/palette.h"

#include <QFont>
#include <QRectF>
#include <QString>

class QPainter;

namespace headscope::widgets {

/// What a colour bar says: a scale with the values at its ends, and what they are.
struct ColorBar {
    ColorScale scale = ColorScale::Sequential;
    double low = 0; // value at the first colour
    double high = 1;
    QString title; // "entropy of load"
};

/// Height that drawColorBar needs with this font.
int colorBarHeight(const QFont& font);
/// A horizontal bar with title on top and the values at both ends and in the middle below, in the painter's font.
void drawColorBar(QPainter& painter, const QRectF& area, const ColorBar& bar, const Theme& theme);

} // namespace headscope::widgets
