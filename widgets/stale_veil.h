// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace headscope::widgets {

/// Dims a view whose values are being computed anew. Lies over it and lets the mouse through.
class StaleVeil : public QWidget
{
    Q_OBJECT

public:
    explicit StaleVeil(QWidget* view);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::widgets
