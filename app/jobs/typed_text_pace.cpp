// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/typed_text_pace.h"

#include <algorithm>

namespace headscope::app {

namespace {
// A trace of nothing takes time too: about as much as this many units.
constexpr double base = 16;

double work(std::size_t size)
{
    return base + static_cast<double>(size);
}
} // namespace

void TypedTextPace::finished(std::size_t size, double milliseconds)
{
    m_perUnit = milliseconds / work(size);
}

bool TypedTextPace::giveUp(const RunningTrace& running, std::size_t freshSize) const
{
    // What is left of the running trace, best from its own progress; else from the last one; else from what it took so far.
    double total = running.milliseconds;
    if (running.fraction > 0)
        total = running.milliseconds / std::min(running.fraction, 1.0);
    else if (m_perUnit)
        total = std::max(total, *m_perUnit * work(running.size));
    else
        return 2 * work(freshSize) < work(running.size); // nothing is known yet but that the fresh one is much smaller
    const double perUnit = running.fraction > 0 ? total / work(running.size) : *m_perUnit;
    return total - running.milliseconds > perUnit * work(freshSize);
}

} // namespace headscope::app
