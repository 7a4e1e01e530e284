// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QImage>
#include <QString>
#include <QWidget>

namespace headscope::samples {

/// The widget as it looks in this theme at this size. Where HEADSCOPE_PICTURES names a folder the picture is also written
/// there as NAME.png, for people to look at (QT_SCALE_FACTOR=2 shows it as on a fine screen).
QImage pictureOf(QWidget& widget, const QString& name, const widgets::Theme& theme, QSize size);

/// How many pixels differ from the background (theme.base), to see that something was drawn.
int inkIn(const QImage& image, QRect rect, const QColor& background);

} // namespace headscope::samples
