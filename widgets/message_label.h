// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLabel;
class QWidget;

namespace headscope::widgets {

/// What stands in the middle of a view that has nothing to show: a sentence in the muted colour of the theme.
QLabel* makeMessageLabel(QWidget* parent);

} // namespace headscope::widgets
