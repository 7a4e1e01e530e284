// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace headscope::widgets {

/// A flat button that stays in: which of several ways is on must be seen at a glance, in light and dark.
class ChoiceButton : public QToolButton
{
    Q_OBJECT

public:
    explicit ChoiceButton(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace headscope::widgets
