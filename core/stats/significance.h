// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

/// How far a pair is from independence, on positions: the token is t or not × expert e is chosen or not.
struct Independence {
    double g2 = 0;       // signed: negative where the pair is rarer than independence has it
    double expected = 0; // n(t)·n(e)/N, of the pair itself
    double smallest = 0; // of the four expected counts; the χ² distribution is trusted from 5 on
    double p = 1;        // of |G²| by χ² with one degree of freedom
};

/// G² = 2 Σ O·ln(O/E) over the four cells (Woolf 1957; Dunning 1993 for words), natural logarithm, empty cells count 0.
/// `together` = n(t,e); `token` = n(t), `expert` = n(e), `positions` = N, all with 0 <= together <= token, expert <=
/// positions.
Independence independence(std::int64_t together, std::int64_t token, std::int64_t expert, std::int64_t positions);

/// P(χ²₁ >= value); 1 for value <= 0.
double chiSquaredTail(double value);

/// Benjamini and Hochberg (1995): q_(i) = min over j >= i of p_(j)·m/j, capped at 1, in the order given. No value is NaN.
std::vector<double> benjaminiHochberg(std::span<const double> p);

} // namespace headscope::core
