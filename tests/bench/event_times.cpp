// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/event_times.h"

#include <QMetaEnum>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>

namespace headscope {

namespace {

double threadMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::string nameOf(const QObject* receiver, QEvent::Type type)
{
    const char* event = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    std::string name = std::string(event ? event : "?") + ' ' + receiver->metaObject()->className();
    if (receiver->parent() && type == QEvent::Paint) // a viewport says little
        name += std::string(" in ") + receiver->parent()->metaObject()->className();
    return name;
}

} // namespace

bool TimedApplication::notify(QObject* receiver, QEvent* event)
{
    const std::string name = nameOf(receiver, event->type()); // before: it may be gone afterwards
    const double start = threadMilliseconds();
    m_within.push_back(0);
    const bool handled = QApplication::notify(receiver, event);
    const double taken = threadMilliseconds() - start;
    m_times[name] += taken - m_within.back();
    m_within.pop_back();
    if (!m_within.empty())
        m_within.back() += taken;
    return handled;
}

void TimedApplication::forgetTimes()
{
    m_times.clear();
}

void TimedApplication::printTimes(int repetitions, double least) const
{
    std::vector<std::pair<std::string, double>> sorted(m_times.begin(), m_times.end());
    std::ranges::sort(sorted, std::greater{}, [](const auto& entry) { return entry.second; });
    const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0,
                                       [](double sum, const auto& entry) { return sum + entry.second; });
    std::printf("    %6.2f  the window's thread in all\n", all / repetitions);
    for (const auto& [name, milliseconds] : sorted)
        if (milliseconds / repetitions >= least)
            std::printf("    %6.2f  %s\n", milliseconds / repetitions, name.c_str());
}

} // namespace headscope
