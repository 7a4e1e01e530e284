// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace headscope::core::nn {

/// Sets how many threads the calling thread's products use from now on: one for little work (a keystroke behind a known prefix), where waking and
/// awaiting others costs more than they bring and takes the processor from the window; for more, as many as other programs leave free.
void useThreadsFor(std::int64_t rows, std::int64_t products);

/// Processors this program may use; OMP_NUM_THREADS is the user's word.
int processors();

/// While it lives, useThreadsFor gives the calling thread one thread: where many runs go on side by side, each is quicker alone.
class OneThread
{
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;
};

} // namespace headscope::core::nn
