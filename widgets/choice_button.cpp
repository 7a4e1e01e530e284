// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/choice_button.h"

#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QPainter>

namespace headscope::widgets {

ChoiceButton::ChoiceButton(QWidget* parent) : QToolButton(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
}

QSize ChoiceButton::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 18, metrics.height() + 8};
}

void ChoiceButton::paintEvent(QPaintEvent*)
{
    const Theme theme = themeOf(palette());
    QColor fill = theme.window;
    QColor border = theme.border;
    if (isChecked()) {
        fill = mix(theme.window, theme.highlight, 0.22);
        border = theme.highlight;
    } else if (isEnabled() && (underMouse() || isDown())) {
        fill = mix(theme.window, theme.neutral, isDown() ? 1.0 : 0.6);
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.text : border, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(isEnabled() ? theme.text : palette().color(QPalette::Disabled, QPalette::ButtonText));
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, text());
}

} // namespace headscope::widgets
