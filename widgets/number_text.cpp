// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace headscope::widgets {

namespace {

QString missing()
{
    return QStringLiteral("–");
}

QString withTrueMinus(QString text)
{
    return text.replace(QLatin1Char('-'), QChar(0x2212));
}

} // namespace

QString exactNumber(float value)
{
    if (std::isnan(value))
        return missing();
    const float size = std::abs(value);
    const bool decimal = size == 0 || (size >= 1e-7F && size < 1e9F);
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   decimal ? std::chars_format::fixed : std::chars_format::scientific);
    return withTrueMinus(QString::fromLatin1(text.data(), end.ptr - text.data()));
}

QString readableNumber(double value)
{
    return std::isnan(value) ? missing() : withTrueMinus(QString::number(value, 'g', 7));
}

QString fixedNumber(double value, int decimals)
{
    if (std::isnan(value))
        return missing();
    QString text = QString::number(value, 'f', decimals);
    if (text.startsWith(QLatin1Char('-')) && text.toDouble() == 0)
        text.remove(0, 1); // no minus before zero
    return withTrueMinus(text);
}

QString marginNumber(float value)
{
    const double margin = static_cast<double>(value);
    return margin > 0 && margin < 0.0005 ? withTrueMinus(QString::number(margin, 'g', 2)) : fixedNumber(margin, 3);
}

QString countText(std::int64_t value)
{
    QString text = QString::number(value);
    for (qsizetype place = text.size() - 3; place > (value < 0 ? 1 : 0); place -= 3)
        text.insert(place, QChar(0x2009));
    return withTrueMinus(text);
}

QString counted(std::int64_t count, const QString& singular, const QString& plural)
{
    return countText(count) + QLatin1Char(' ') + (count == 1 ? singular : plural);
}

} // namespace headscope::widgets
