// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/threads.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace headscope::core::nn {
namespace {

// How many OneThread live in this thread: OpenMP's own setting is the thread's as well.
thread_local int alone = 0;

/// OMP_NUM_THREADS; nothing unless it is set.
std::optional<int> chosenByUser()
{
    const char* chosen = std::getenv("OMP_NUM_THREADS");
    const int count = chosen ? std::atoi(chosen) : 0;
    return count > 0 ? std::optional(count) : std::nullopt;
}

/// Threads of a large product wait for each other at every block, without sleeping: when another program holds the processor of one,
/// all wait until it has had its turn, and a trace of 25 ms has taken seconds. So processors that others use are left to them.
int freeProcessors()
{
    if (const auto chosen = chosenByUser())
        return *chosen;
    std::ifstream file("/proc/loadavg"); // "0.31 0.42 0.50 3/512 4711": 3 run now, this thread among them
    std::string average;
    int running = 0;
    file >> average >> average >> average >> running;
    return std::clamp(processors() + 1 - running, 1, processors());
}

} // namespace

int processors()
{
    if (const auto chosen = chosenByUser())
        return *chosen;
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return cores > 0 ? cores : 1;
}

OneThread::OneThread()
{
    ++alone;
}

OneThread::~OneThread()
{
    --alone;
}

void useThreadsFor(std::int64_t rows, std::int64_t products)
{
    constexpr double little = 6e8; // multiply-accumulates; some 10 ms on one core
    const bool single = alone > 0 || static_cast<double>(rows) * static_cast<double>(products) < little;
    at::set_num_threads(single ? 1 : freeProcessors());
}

} // namespace headscope::core::nn
