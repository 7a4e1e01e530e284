// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/oklab.h"

#include <QRgba64>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace headscope::widgets {

namespace {

double linearOf(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

double encodedOf(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// A component of a colour, 0 … 65535. Nearly all colours have components of 8 bits (times 257): those are looked up.
double linear(quint16 component)
{
    static const auto table = [] {
        std::array<double, 256> values{};
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = linearOf(static_cast<double>(i) / 255);
        return values;
    }();
    return component % 257 == 0 ? table[component / 257] : linearOf(component / 65535.0);
}

/// Interpolated in a table over the square root, on which the curve is nearly straight: within 2e-6.
float encoded(double linearValue)
{
    constexpr std::size_t steps = 2048;
    static const auto table = [] {
        std::array<double, steps + 2> values{};
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = encodedOf(std::pow(static_cast<double>(i) / steps, 2));
        return values;
    }();
    const double place = std::sqrt(std::clamp(linearValue, 0.0, 1.0)) * steps;
    const auto below = static_cast<std::size_t>(place);
    return static_cast<float>(std::lerp(table[below], table[below + 1], place - static_cast<double>(below)));
}

double cubed(double value)
{
    return value * value * value;
}

} // namespace

Oklab toOklab(const QColor& color)
{
    const QRgba64 rgb = color.rgba64();
    const double r = linear(rgb.red());
    const double g = linear(rgb.green());
    const double b = linear(rgb.blue());
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

QColor fromOklab(const Oklab& lab)
{
    const double l = cubed(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b);
    const double m = cubed(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b);
    const double s = cubed(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b);
    return QColor::fromRgbF(encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                            encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                            encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

QColor fromOklch(double lightness, double chroma, double hue)
{
    const double radians = hue * std::numbers::pi / 180;
    return fromOklab({lightness, chroma * std::cos(radians), chroma * std::sin(radians)});
}

QColor mix(const QColor& from, const QColor& to, double amount)
{
    const Oklab x = toOklab(from);
    const Oklab y = toOklab(to);
    const double t = std::clamp(amount, 0.0, 1.0);
    return fromOklab({std::lerp(x.lightness, y.lightness, t), std::lerp(x.a, y.a, t), std::lerp(x.b, y.b, t)});
}

double oklabDistance(const QColor& x, const QColor& y)
{
    const Oklab p = toOklab(x);
    const Oklab q = toOklab(y);
    return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

double luminance(const QColor& color)
{
    const QRgba64 rgb = color.rgba64();
    return 0.2126 * linear(rgb.red()) + 0.7152 * linear(rgb.green()) + 0.0722 * linear(rgb.blue());
}

double contrastRatio(const QColor& x, const QColor& y)
{
    const double a = luminance(x);
    const double b = luminance(y);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

} // namespace headscope::widgets
