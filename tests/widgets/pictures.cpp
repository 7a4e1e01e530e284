// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/pictures.h"

#include <QApplication>
#include <QDir>

namespace headscope::samples {

QImage pictureOf(QWidget& widget, const QString& name, const widgets::Theme& theme, QSize size)
{
    QApplication::setPalette(theme.palette());
    widget.resize(size);
    widget.show();
    QApplication::processEvents(); // the new palette
    QApplication::processEvents(); // what was queued because of it
    const QImage image = widget.grab().toImage();
    const QString folder = qEnvironmentVariable("HEADSCOPE_PICTURES");
    if (!folder.isEmpty() && QDir().mkpath(folder))
        image.save(QDir(folder).filePath(name + QStringLiteral(".png")));
    return image;
}

int inkIn(const QImage& image, QRect rect, const QColor& background)
{
    int ink = 0;
    for (int y = rect.top(); y <= rect.bottom(); ++y)
        for (int x = rect.left(); x <= rect.right(); ++x)
            ink += image.pixelColor(x, y) != background ? 1 : 0;
    return ink;
}

} // namespace headscope::samples
