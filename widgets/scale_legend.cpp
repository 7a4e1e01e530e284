// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scale_legend.h"

#include "widgets/number_text.h"
#include "widgets/palette.h"

#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr int rampWidth = 80;
constexpr int gap = 6;

} // namespace

ScaleLegend::ScaleLegend(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void ScaleLegend::showGates(int expert)
{
    if (m_expert == expert && !m_largestLogit)
        return;
    m_expert = expert;
    m_largestLogit.reset();
    setAccessibleName(tr("Gates are coloured from 0 to 1"));
    updateGeometry();
    update();
}

void ScaleLegend::showLogits(double largest)
{
    if (m_largestLogit == largest)
        return;
    m_largestLogit = largest;
    setAccessibleName(tr("Logits are coloured from %1 to %2").arg(low(), high()));
    updateGeometry();
    update();
}

void ScaleLegend::showScale(const Scale& scale)
{
    if (m_scale == scale)
        return;
    m_scale = scale;
    setAccessibleName(tr("%1 is coloured from %2 to %3").arg(scale.title, scale.low, scale.high));
    updateGeometry();
    update();
}

QColor ScaleLegend::color(double place, const Theme& theme) const
{
    if (m_scale)
        return scaleColor(m_scale->colors, place, theme);
    return m_largestLogit ? scaleColor(ColorScale::Diverging, place, theme) : expertColor(m_expert, place, theme);
}

QString ScaleLegend::title() const
{
    if (m_scale)
        return m_scale->title;
    return m_largestLogit ? tr("logit") : tr("gate");
}

QString ScaleLegend::low() const
{
    if (m_scale)
        return m_scale->low;
    return m_largestLogit ? fixedNumber(-*m_largestLogit, 1) : QStringLiteral("0");
}

QString ScaleLegend::high() const
{
    if (m_scale)
        return m_scale->high;
    return m_largestLogit ? fixedNumber(*m_largestLogit, 1) : QStringLiteral("1");
}

QSize ScaleLegend::sizeHint() const
{
    const QFontMetrics metrics(font());
    const int words =
        metrics.horizontalAdvance(title()) + metrics.horizontalAdvance(low()) + metrics.horizontalAdvance(high());
    return {words + rampWidth + 4 * gap, metrics.height() + 4};
}

void ScaleLegend::paintEvent(QPaintEvent*)
{
    const Theme theme = themeOf(palette());
    const QFontMetrics metrics(font());
    QPainter painter(this);
    int x = gap / 2;
    const auto write = [&](const QString& text) {
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(x, 0, metrics.horizontalAdvance(text) + 2, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text) + gap;
    };
    write(title());
    write(low());
    const QRect ramp(x, height() / 2 - 5, rampWidth, 10);
    for (int i = 0; i < rampWidth; ++i) {
        const double place = (i + 0.5) / rampWidth;
        painter.fillRect(ramp.left() + i, ramp.top(), 1, ramp.height(), color(place, theme));
    }
    painter.setPen(theme.border);
    painter.drawRect(ramp.adjusted(-1, -1, 0, 0));
    x += rampWidth + gap;
    write(high());
}

} // namespace headscope::widgets
