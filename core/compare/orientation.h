// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/compare/site_comparison.h"
#include "core/corpus/counts.h"

namespace headscope::core {

// Ties of a matching, draws of a null and the order in which reals are added up must not depend on which model is called A.
// So one of the two goes first, whatever it is called: the one whose decisions come first in an order of their own.

/// The side that goes first: by the traces of the text that is judged, then by those of the fit. A where all are the same.
ComparedSide firstSide(const ComparedTraces& judged, const std::optional<ComparedTraces>& fit);
/// The same of counts, by what was counted and the checkpoints' fingerprints.
ComparedSide firstSide(const Counts& a, const Counts& b);

} // namespace headscope::core
