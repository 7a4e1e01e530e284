// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>

namespace headscope::widgets {

/// A small square in the expert's colour, to stand beside its number.
QPixmap expertSwatch(int expert);

} // namespace headscope::widgets
