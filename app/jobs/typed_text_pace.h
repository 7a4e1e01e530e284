// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>

namespace headscope::app {

/// A trace of typed text that is under way.
struct RunningTrace {
    std::size_t size = 0;    // of what it has to compute
    double milliseconds = 0; // since it began
    double fraction = 0;     // reported progress, 0 when none was reported yet
};

/// Says whether a running trace is given up when the text has changed. It is, only when it would take longer than a fresh
/// one: so steady typing still shows results, and a long text that was just deleted does not hold up the short one after it.
/// Sizes are in any unit the time is about proportional to.
class TypedTextPace
{
public:
    /// A trace of this size took so long.
    void finished(std::size_t size, double milliseconds);
    bool giveUp(const RunningTrace& running, std::size_t freshSize) const;

private:
    std::optional<double> m_perUnit; // milliseconds
};

} // namespace headscope::app
