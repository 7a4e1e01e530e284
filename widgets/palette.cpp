// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette.h"

#include "widgets/oklab.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::widgets {

namespace {

// The six colours of Okabe and Ito that stay away from black and white, then, one after the other, the colour of OKLCH
// lightness 0.50 … 0.88 and chroma 0.09 … 0.17 that is farthest (in OKLab) from all before it under normal, protan, deutan
// and tritan vision (Machado et al. 2009).
constexpr std::array<QRgb, 16> expertColors = {
    0xff0072b2, 0xffe69f00, 0xff009e73, 0xffcc79a7, 0xff56b4e9, 0xffd55e00, 0xffc0dd9d, 0xff8a4c69,
    0xff49eaf2, 0xff9a75e9, 0xffaf2d18, 0xff9ab678, 0xfffaca4b, 0xffaa618d, 0xff89d0aa, 0xff6e568d,
};

// Viridis (Smith and van der Walt, public domain) at 0, 1/8, … 1; between them it is close to straight in OKLab.
constexpr std::array<QRgb, 9> viridis = {
    0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c, 0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725,
};

QColor viridisColor(double value)
{
    const double place = value * (viridis.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), viridis.size() - 2);
    return mix(QColor(viridis[below]), QColor(viridis[below + 1]), place - static_cast<double>(below));
}

QColor divergingColor(double value, const Theme& theme)
{
    const bool light = theme.kind == Theme::Kind::Light;
    const QColor middle = light ? fromOklch(0.97, 0, 0) : fromOklch(0.27, 0, 0);
    const double end = light ? 0.48 : 0.78; // lightness moves evenly away from the middle on both sides
    const QColor side = value < 0.5 ? fromOklch(end, 0.13, 250) : fromOklch(end, 0.13, 50);
    return mix(middle, side, std::abs(value - 0.5) * 2);
}

} // namespace

QColor expertColor(int expert)
{
    const int known = static_cast<int>(expertColors.size());
    if (expert < known)
        return QColor(expertColors[static_cast<std::size_t>(std::max(expert, 0))]);
    const int further = expert - known;
    constexpr std::array lightness = {0.62, 0.78, 0.52};
    return fromOklch(lightness[static_cast<std::size_t>(further) % lightness.size()], 0.11,
                     std::fmod(further * 137.508, 360.0));
}

QColor expertColor(int expert, double strength, const Theme& theme)
{
    constexpr double faintest = 0.12;
    const double amount = std::isnan(strength) ? 0 : faintest + (1 - faintest) * std::clamp(strength, 0.0, 1.0);
    return mix(theme.neutral, expertColor(expert), amount);
}

QColor textOn(const QColor& background)
{
    const QColor black(Qt::black);
    const QColor white(Qt::white);
    const QColor seen(background.rgb()); // with the 8 bits a screen has, whose components are quick to convert
    return contrastRatio(black, seen) >= contrastRatio(white, seen) ? black : white;
}

QColor scaleColor(ColorScale scale, double value, const Theme& theme)
{
    if (std::isnan(value))
        return QColor(Qt::transparent);
    const double clamped = std::clamp(value, 0.0, 1.0);
    return scale == ColorScale::Sequential ? viridisColor(clamped) : divergingColor(clamped, theme);
}

} // namespace headscope::widgets
