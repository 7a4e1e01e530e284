// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace headscope::core {

double studentReach(double degrees, double level)
{
    return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), (1 - level) / 2));
}

} // namespace headscope::core
