// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/threads.h"

#include <ATen/Parallel.h>

#include <cstdlib>
#include <thread>

namespace headscope::core::nn {
namespace {

// How many OneThread live in this thread: OpenMP's own setting is the thread's as well.
thread_local int alone = 0;

} // namespace

int processors()
{
    if (const char* chosen = std::getenv("OMP_NUM_THREADS"))
        if (const int count = std::atoi(chosen); count > 0)
            return count;
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

void useThreadsFor(std::int64_t rows, std::int64_t parameters)
{
    constexpr double little = 3e8; // multiply-accumulates; some 5 ms on one core
    const bool single = alone > 0 || static_cast<double>(rows) * static_cast<double>(parameters) < little;
    at::set_num_threads(single ? 1 : processors());
}

} // namespace headscope::core::nn
