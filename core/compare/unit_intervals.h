// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <cstddef>
#include <span>

namespace headscope::core {

// Intervals of means over units. Neighbouring units are alike in topic and context, so that a mean varies by stretches of
// the text and not by units. The text is divided into q stretches of equal length, long enough to be nearly independent; how
// long that is, is estimated from the units themselves.

/// Fewer units have no interval.
inline constexpr std::size_t fewestIntervalUnits = 80;

struct UnitInterval {
    Interval interval{};   // 95 %; NaN with fewer than `fewestIntervalUnits` and where nothing is known
    int stretches = 0;     // q
    bool doubtful = false; // the dependence reaches so far that q would have to be smaller: it may be too short
};

/// The length of blocks after Politis and White (2004, corrected by Patton, Politis, White 2009; circular blocks): the one
/// that estimates the variance of the mean best. At least 1.
double blockLength(std::span<const double> values);

/// Of R = Σ numerators / Σ denominators over units. R ± t·s with Student's t of q - 1 degrees of freedom and s² = q/(q - 1)
/// · Σ_b (Σ_{u in b} numerator_u - R·denominator_u)² / (Σ denominators)²: batch means. Stretches are four times the block
/// length of the residuals, q of them from 6 to 20. Its coverage is measured in tests/core/compare/coverage_test.cpp.
UnitInterval ratioInterval(std::span<const double> numerators, std::span<const double> denominators);
/// Of the mean of the values that are not NaN, each in [0, 1], as are both ends.
UnitInterval shareInterval(std::span<const float> values);

} // namespace headscope::core
