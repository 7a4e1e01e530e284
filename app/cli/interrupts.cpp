// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupts.h"

#include "app/cli/exit_code.h"

#include <pthread.h>
#include <unistd.h>

namespace headscope::app {

namespace {

// Sent by the destructor to its own thread only, to wake it. Blocked there, so its default action never happens.
constexpr int wakeUp = SIGUSR2;

} // namespace

Interrupts::Interrupts()
{
    sigemptyset(&m_waited);
    sigaddset(&m_waited, SIGINT);
    sigaddset(&m_waited, SIGTERM);
    // A terminal that is closed asks to stop, too; not under nohup.
    struct sigaction hangUp {
    };
    if (sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)
        sigaddset(&m_waited, SIGHUP);
    sigaddset(&m_waited, wakeUp);
    pthread_sigmask(SIG_BLOCK, &m_waited, &m_previous);
    m_thread = std::thread([this] { wait(); });
}

Interrupts::~Interrupts()
{
    m_finished = true;
    pthread_kill(m_thread.native_handle(), wakeUp);
    m_thread.join();
    pthread_sigmask(SIG_SETMASK, &m_previous, nullptr);
}

void Interrupts::wait()
{
    for (;;) {
        int signal = 0;
        if (sigwait(&m_waited, &signal) != 0)
            continue;
        if (m_finished)
            return;
        if (signal == wakeUp)
            continue;
        if (!m_source.request_stop())
            _exit(static_cast<int>(ExitCode::Cancelled)); // asked twice
    }
}

} // namespace headscope::app
