// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expert_swatch.h"

#include "widgets/palette.h"

namespace headscope::widgets {

QPixmap expertSwatch(int expert)
{
    QPixmap swatch(10, 10);
    swatch.fill(expertColor(expert));
    return swatch;
}

} // namespace headscope::widgets
