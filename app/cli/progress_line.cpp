// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include "app/cli/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace headscope::app {

namespace {

constexpr std::chrono::milliseconds quietAtFirst{300};
constexpr std::chrono::milliseconds betweenLines{100};
constexpr std::size_t stageWidth = 60;
constexpr std::string_view eraseLine = "\r\x1b[K";

} // namespace

ProgressLine::ProgressLine(const CommandContext& context) : m_context(context), m_next(Clock::now() + quietAtFirst) {}

ProgressLine::~ProgressLine()
{
    wipe();
}

core::Progress ProgressLine::progress()
{
    core::Progress progress;
    progress.stop = m_context.stop;
    progress.asked = m_context.asked;
    if (m_context.errIsTerminal)
        progress.report = [this](double fraction, std::string_view stage) { show(fraction, stage); };
    return progress;
}

void ProgressLine::show(double fraction, std::string_view stage)
{
    const std::lock_guard lock(m_mutex);
    const auto now = Clock::now();
    if (now < m_next)
        return;
    m_next = now + betweenLines;
    m_visible = true;
    m_context.err << eraseLine
                  << fmt::format("{:3.0f} %  {}", 100 * std::clamp(fraction, 0.0, 1.0), shortened(printable(stage), stageWidth))
                  << std::flush;
}

void ProgressLine::wipe()
{
    const std::lock_guard lock(m_mutex);
    if (m_visible)
        m_context.err << eraseLine << std::flush;
    m_visible = false;
}

void printNotes(const CommandContext& context, const std::vector<std::string>& notes)
{
    for (const std::string& note : notes)
        context.err << "note: " << printable(note) << '\n';
    context.err.flush();
}

} // namespace headscope::app
