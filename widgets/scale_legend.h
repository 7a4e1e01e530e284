// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/palette.h"

#include <QString>
#include <QWidget>

#include <optional>

namespace headscope::widgets {

/// A colour scale in one line: what it shows, the values at both ends and the colours between.
class ScaleLegend : public QWidget
{
    Q_OBJECT

public:
    explicit ScaleLegend(QWidget* parent = nullptr);

    /// Gates from 0 to 1 in the colour of an expert.
    void showGates(int expert);
    /// Logits from −largest to +largest on the diverging scale.
    void showLogits(double largest);
    /// Any values on any scale.
    struct Scale {
        ColorScale colors = ColorScale::Sequential;
        QString title;
        QString low;
        QString high;

        bool operator==(const Scale&) const = default;
    };
    void showScale(const Scale& scale);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QColor color(double place, const Theme& theme) const;
    QString title() const;
    QString low() const;
    QString high() const;

    int m_expert = -1; // nothing shown yet
    std::optional<double> m_largestLogit;
    std::optional<Scale> m_scale;
};

} // namespace headscope::widgets
