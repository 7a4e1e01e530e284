// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString title() const;
    QString low() const;
    QString high() const;

    int m_expert = -1; // nothing shown yet
    std::optional<double> m_largestLogit;
};

} // namespace headscope::widgets
