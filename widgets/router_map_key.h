// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace headscope::widgets {

/// What the colours and marks of a router map mean; stays in place below the scrolled map.
class RouterMapKey : public QWidget
{
    Q_OBJECT

public:
    explicit RouterMapKey(QWidget* parent);

    struct Contents {
        double low = 0; // value of the scale's first colour
        bool dead = false;
        bool repeats = false;
        double high = 1; // of its last
        QString title;

        bool operator==(const Contents&) const = default;
    };
    void setContents(const Contents& contents);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Contents m_contents;
};

/// The mark of a router with experts that were never chosen, in the corner of its cell.
void drawDeadMark(QPainter& painter, const QRectF& cell, const QColor& color);

} // namespace headscope::widgets
