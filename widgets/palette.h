// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QColor>

namespace headscope::widgets {

/// The colour of an expert. The first sixteen keep apart under the common colour blindnesses as far as sixteen colours can;
/// further ones repeat the circle of hues at other lightnesses. Colours alone never name an expert: its number is always
/// written beside them.
QColor expertColor(int expert);
/// The same colour faded towards the theme's neutral: strength 1 is the full colour, 0 the faintest that still has a hue.
QColor expertColor(int expert, double strength, const Theme& theme);

/// Black or white, whichever reads better on this background; at least 4.5 : 1 on any.
QColor textOn(const QColor& background);

/// Perceptually uniform scales over [0, 1]. Values outside are clamped; NaN gives a transparent colour.
enum class ColorScale {
    Sequential, // viridis: dark violet to yellow
    Diverging,  // blue over a neutral (0.5) to orange
};
QColor scaleColor(ColorScale scale, double value, const Theme& theme);

} // namespace headscope::widgets
