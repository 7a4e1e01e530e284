// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace headscope::app {

/// Turns Ctrl-C (and a request to terminate, and a terminal that is closed) into a stop request. While it lives these
/// signals are blocked in the thread that made it and in every thread started from there, and one thread waits for them, so
/// that no code ever runs inside a signal handler. The first signal asks the work to stop; a second one ends the process at
/// once. Make it before any other thread is started.
class Interrupts
{
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    std::stop_token token() const { return m_source.get_token(); }

private:
    void wait();

    std::stop_source m_source;
    sigset_t m_waited{};
    sigset_t m_previous{};
    std::atomic<bool> m_finished = false;
    std::thread m_thread;
};

} // namespace headscope::app
