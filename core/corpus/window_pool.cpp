// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/window_pool.h"

#include <chrono>
#include <stop_token>
#include <utility>

namespace headscope::core {

namespace {

constexpr std::chrono::milliseconds betweenIdleCalls{50};

} // namespace

WindowPool::WindowPool(std::size_t threads, std::size_t capacity, std::function<void(const Window&)> work, std::function<void()> idle)
    : m_work(std::move(work)), m_idle(std::move(idle)), m_capacity(capacity)
{
    for (std::size_t i = 0; i < threads; ++i)
        m_threads.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

WindowPool::~WindowPool()
{
    for (std::jthread& thread : m_threads)
        thread.request_stop();
    m_threads.clear();
}

void WindowPool::run(const std::stop_token& stop)
{
    std::unique_lock lock(m_lock);
    for (;;) {
        m_arrived.wait(lock, stop, [this] { return !m_waiting.empty(); });
        if (stop.stop_requested())
            return;
        const Window window = std::move(m_waiting.front());
        m_waiting.pop_front();
        ++m_inWork;
        lock.unlock();
        std::exception_ptr problem;
        try {
            m_work(window);
        } catch (...) {
            problem = std::current_exception(); // thrown again in the thread that pushes
        }
        lock.lock();
        --m_inWork;
        if (problem && !m_problem)
            m_problem = problem;
        m_done.notify_all();
    }
}

void WindowPool::waitUntilFewerThan(std::size_t windows)
{
    std::unique_lock lock(m_lock);
    for (;;) {
        if (m_problem)
            std::rethrow_exception(m_problem);
        if (m_waiting.size() + m_inWork < windows)
            return;
        m_done.wait_for(lock, betweenIdleCalls);
        lock.unlock();
        m_idle();
        lock.lock();
    }
}

void WindowPool::push(Window window)
{
    waitUntilFewerThan(m_capacity);
    {
        const std::lock_guard lock(m_lock);
        m_waiting.push_back(std::move(window));
    }
    m_arrived.notify_one();
}

void WindowPool::drain()
{
    waitUntilFewerThan(1);
}

} // namespace headscope::core
