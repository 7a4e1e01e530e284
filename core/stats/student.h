// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headscope::core {

/// How many standard errors the middle `level` of Student's t with `degrees` of freedom (at least 1, need not be whole)
/// reaches to either side: 1.96 for 0.95 and many degrees, 12.7 for one.
double studentReach(double degrees, double level = 0.95);

} // namespace headscope::core
