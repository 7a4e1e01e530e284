// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/message_label.h"

#include <QLabel>

namespace headscope::widgets {

QLabel* makeMessageLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setMargin(24);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace headscope::widgets
