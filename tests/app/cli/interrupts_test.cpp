// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupts.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace headscope::app {
namespace {

bool isStoppedSoon(const std::stop_token& token)
{
    for (int i = 0; i < 500 && !token.stop_requested(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return token.stop_requested();
}

// In processes of their own: in this one other tests have left threads that do not block the signals.

TEST(Interrupts, CtrlCAsksToStop)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_EXIT(
            {
                const Interrupts interrupts;
                const bool before = interrupts.token().stop_requested();
                kill(getpid(), signal);
                std::_Exit(!before && isStoppedSoon(interrupts.token()) ? 0 : 1);
            },
            ::testing::ExitedWithCode(0), "");
    }
}

TEST(Interrupts, TheSecondOneEndsTheProgram)
{
    EXPECT_EXIT(
        {
            const Interrupts interrupts;
            kill(getpid(), SIGINT);
            isStoppedSoon(interrupts.token());
            kill(getpid(), SIGINT);
            std::this_thread::sleep_for(std::chrono::seconds(5));
        },
        ::testing::ExitedWithCode(130), "");
}

TEST(Interrupts, AfterwardsSignalsAreAsBefore)
{
    sigset_t before;
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    {
        const Interrupts interrupts;
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

} // namespace
} // namespace headscope::app
