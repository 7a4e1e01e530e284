// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/windows.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope::core {

/// Threads that work on windows, each on one at a time. A bounded number of windows waits or is worked on.
class WindowPool
{
public:
    /// `work` is called from all threads. `idle` is called on the thread that waits in push or drain, some times a second; it may throw.
    WindowPool(std::size_t threads, std::size_t capacity, std::function<void(const Window&)> work, std::function<void()> idle);
    /// Waits for the windows that are worked on; those that wait are dropped.
    ~WindowPool();
    WindowPool(const WindowPool&) = delete;
    WindowPool& operator=(const WindowPool&) = delete;

    /// Waits until there is room. Throws what `work` or `idle` threw.
    void push(Window window);
    /// Waits until everything is done. Throws as push.
    void drain();

private:
    void run(const std::stop_token& stop);
    void waitUntilFewerThan(std::size_t windows);

    std::function<void(const Window&)> m_work;
    std::function<void()> m_idle;
    std::size_t m_capacity;
    std::mutex m_lock;
    std::condition_variable_any m_arrived;
    std::condition_variable_any m_done;
    std::deque<Window> m_waiting;
    std::size_t m_inWork = 0;
    std::exception_ptr m_problem;
    std::vector<std::jthread> m_threads; // the last member: they end before the rest goes
};

} // namespace headscope::core
