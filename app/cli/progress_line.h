// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "core/progress.h"

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace headscope::app {

/// One line on a terminal's standard error that says what is going on, rewritten in place and wiped at the end. Silent where standard
/// error is no terminal, and for the first moment, so that quick work shows nothing.
class ProgressLine
{
public:
    explicit ProgressLine(const CommandContext& context);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// For one piece of work; may be called from any thread. Must not outlive this line.
    core::Progress progress();
    void wipe();

private:
    using Clock = std::chrono::steady_clock;
    void show(double fraction, std::string_view stage);

    const CommandContext& m_context;
    std::mutex m_mutex;
    Clock::time_point m_next;
    bool m_visible = false;
};

/// "note: …", one line each, to standard error.
void printNotes(const CommandContext& context, const std::vector<std::string>& notes);

} // namespace headscope::app
