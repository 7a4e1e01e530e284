// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <optional>

namespace headscope::widgets {

/// The line above the chips: which router colours them, what its gates are, and what the marks mean.
class TokenStripHeader : public QWidget
{
    Q_OBJECT

public:
    struct Caption {
        QString title;                    // a router's address, or why there is none
        QString legend;                   // the router in one line
        std::optional<float> largestGate; // the gate that has the full colour
        std::optional<int> expert;        // whose colour the ramp has; the first one's when any expert may be shown

        bool operator==(const Caption&) const = default;
    };

    explicit TokenStripHeader(QWidget* parent);
    void setCaption(const Caption& caption);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int drawKey(QPainter& painter) const; // returns its left edge

    Caption m_caption;
};

} // namespace headscope::widgets
