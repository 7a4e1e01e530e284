// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compared_models.h"

#include <QString>

namespace headscope::widgets {

/// The comparison in a few sentences: agreement over all pairs beside chance and null, how experts were matched, the losses.
QString comparisonSummary(const core::Comparison& comparison);
/// One pair of routers in one line.
QString pairSummary(const core::RouterComparison& pair);
/// Everything that is to be kept in mind, a line each; empty for nothing.
QString comparisonNotes(const core::Comparison& comparison);

} // namespace headscope::widgets
