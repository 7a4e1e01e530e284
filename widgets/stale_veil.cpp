// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stale_veil.h"

#include "widgets/theme.h"

#include <QPaintEvent>
#include <QPainter>

namespace headscope::widgets {

StaleVeil::StaleVeil(QWidget* view) : QWidget(view)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void StaleVeil::paintEvent(QPaintEvent* event)
{
    QColor veil = themeOf(palette()).base;
    veil.setAlphaF(0.55F);
    QPainter(this).fillRect(event->rect(), veil);
}

} // namespace headscope::widgets
