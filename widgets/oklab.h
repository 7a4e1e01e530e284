// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

namespace headscope::widgets {

/// OKLab (Björn Ottosson, 2020): equal distances look about equally different. Lightness 0 … 1; a and b within ±0.4.
struct Oklab {
    double lightness = 0;
    double a = 0;
    double b = 0;

    bool operator==(const Oklab&) const = default;
};

Oklab toOklab(const QColor& color);
/// Colours outside sRGB are clipped per channel.
QColor fromOklab(const Oklab& lab);
/// Lightness, chroma and hue in degrees.
QColor fromOklch(double lightness, double chroma, double hue);

/// `amount` 0 is `from`, 1 is `to`.
QColor mix(const QColor& from, const QColor& to, double amount);
double oklabDistance(const QColor& x, const QColor& y);

/// WCAG 2 relative luminance and contrast ratio (1 … 21) of opaque colours.
double luminance(const QColor& color);
double contrastRatio(const QColor& x, const QColor& y);

} // namespace headscope::widgets
