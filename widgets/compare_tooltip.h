// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare_strip_painter.h"

#include <QString>

namespace headscope::widgets {

/// What is written about one column of two strips: its bytes, what both models chose there with exact gates, agreement,
/// losses, context, as rich text.
QString compareTooltip(const ComparedModels& models, const CompareStripContents& contents, std::size_t column);
/// Of a run of columns that is left out.
QString leftOutTooltip(const ComparedModels& models, const CompareColumns& columns, std::size_t first, std::size_t last);

/// One pair of routers: agreement and everything to read it by, as rich text.
QString routerPairTooltip(const core::RouterComparison& pair);

} // namespace headscope::widgets
