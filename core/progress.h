// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace headscope::core {

/// How a long piece of work tells where it is and learns that it is no longer wanted. Copyable; the default reports to nobody
/// and is never cancelled. `report` is called on the working thread and must be cheap.
struct Progress {
    std::function<void(double fraction, std::string_view stage)> report; // fraction in [0, 1]
    std::stop_token stop;
    std::function<void()> asked = {}; // told of every question, on the working thread: so a test counts the work between two

    /// Throws Cancelled if the work is no longer wanted. Between two questions lies bounded work, whatever is read.
    void checkpoint() const
    {
        if (asked)
            asked();
        if (stop.stop_requested())
            throw Cancelled();
    }
    /// The same questions without a report, for a part of the work.
    Progress quiet() const { return {{}, stop, asked}; }
    /// Reports and asks for cancellation.
    void at(double fraction, std::string_view stage) const
    {
        checkpoint();
        if (report)
            report(fraction, stage);
    }
};

} // namespace headscope::core
