// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_text.h"

#include "widgets/visible_text.h"

namespace headscope::widgets {

QString numberedPiece(const core::Token& token, std::int64_t index)
{
    return QString::number(index) + QLatin1Char(' ') + isolated(visiblePiece(token));
}

} // namespace headscope::widgets
