// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/compute_queue.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>

namespace headscope::app {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds reportEvery{50};
} // namespace

/// What the owner of a job, the queue and the worker share.
struct Ticket {
    std::stop_source stop;
    std::atomic<bool> finished{false}; // no worker and no queue holds the work any more
    std::function<void()> withdraw;    // takes the work out of its queue if it still waits there
    bool delivered = false;            // the receiver's thread only
    bool abandoned = false;            // the receiver's thread only

    void finish()
    {
        finished = true;
        finished.notify_all();
    }
};

/// The waiting tasks, and the one mutex. Shared with the tickets, so that a job may outlive its queue.
struct ComputeQueue::State {
    using Key = std::pair<Priority, std::uint64_t>; // the order in which tasks are taken

    mutable std::mutex mutex;
    std::condition_variable_any arrived;
    std::map<Key, Task> waiting;
    std::set<std::shared_ptr<Ticket>> running;
    std::uint64_t count = 0;

    /// Waits for a task; nullopt when the worker has to end.
    std::optional<Task> take(const std::stop_token& stop)
    {
        std::unique_lock lock(mutex);
        if (!arrived.wait(lock, stop, [this] { return !waiting.empty(); }))
            return std::nullopt;
        return takeFirst();
    }
    /// A waiting task that comes before everything of `priority`.
    std::optional<Task> takeBefore(Priority priority)
    {
        const std::scoped_lock lock(mutex);
        if (waiting.empty() || waiting.begin()->first.first >= priority)
            return std::nullopt;
        return takeFirst();
    }
    void withdraw(Key key)
    {
        std::optional<Task> task;
        {
            const std::scoped_lock lock(mutex);
            if (const auto found = waiting.find(key); found != waiting.end()) {
                task = std::move(found->second);
                waiting.erase(found);
            }
        }
        if (task)
            end(*task, [&] { task->withdraw(); });
    }
    void run(Task& task)
    {
        Clock::time_point reported = Clock::now();
        core::Progress progress;
        progress.stop = task.ticket->stop.get_token();
        progress.report = [this, &task, &reported](double fraction, std::string_view stage) {
            if (const auto now = Clock::now(); task.progress && now - reported >= reportEvery) {
                reported = now;
                const ProgressReport report{fraction, QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()))};
                post(task.receiver, task.ticket, Post::Progress, [handler = task.progress, report] { handler(report); });
            }
            while (auto other = takeBefore(task.priority))
                run(*other);
        };
        end(task, [&] { task.run(progress); });
    }
    void stopAll()
    {
        const std::scoped_lock lock(mutex);
        for (const auto& ticket : running)
            ticket->stop.request_stop();
        for (const auto& [key, task] : waiting)
            task.ticket->stop.request_stop();
    }

private:
    Task takeFirst()
    {
        Task task = std::move(waiting.begin()->second);
        waiting.erase(waiting.begin());
        running.insert(task.ticket);
        return task;
    }
    /// Ends a task by its last call; what it captured is gone before its owner is told.
    template <class Last>
    void end(Task& task, const Last& last)
    {
        last();
        task.run = {};
        task.withdraw = {};
        task.progress = {};
        {
            const std::scoped_lock lock(mutex);
            running.erase(task.ticket);
        }
        task.ticket->finish();
    }
};

ComputeQueue::ComputeQueue(int workers) : m_state(std::make_shared<State>())
{
    for (int i = 0; i < workers; ++i)
        m_workers.emplace_back([state = m_state](const std::stop_token& stop) {
            while (auto task = state->take(stop))
                state->run(*task);
        });
}

ComputeQueue::~ComputeQueue()
{
    m_state->stopAll();
    for (auto& worker : m_workers)
        worker.request_stop();
    m_workers.clear(); // joins
    while (!m_state->waiting.empty())
        m_state->withdraw(m_state->waiting.begin()->first);
}

std::size_t ComputeQueue::unfinished() const
{
    const std::scoped_lock lock(m_state->mutex);
    return m_state->waiting.size() + m_state->running.size();
}

std::shared_ptr<Ticket> ComputeQueue::makeTicket()
{
    return std::make_shared<Ticket>();
}

Job ComputeQueue::enqueue(Task task)
{
    auto ticket = task.ticket;
    {
        const std::scoped_lock lock(m_state->mutex);
        const State::Key key{task.priority, m_state->count++};
        ticket->withdraw = [state = std::weak_ptr(m_state), key] {
            if (const auto alive = state.lock())
                alive->withdraw(key);
        };
        m_state->waiting.emplace(key, std::move(task));
    }
    m_state->arrived.notify_one();
    return Job(std::move(ticket));
}

void ComputeQueue::post(QObject* receiver, std::shared_ptr<Ticket> ticket, Post kind, std::function<void()> call)
{
    QMetaObject::invokeMethod(
        receiver,
        [ticket = std::move(ticket), kind, call = std::move(call)] {
            if (ticket->abandoned || ticket->delivered)
                return;
            ticket->delivered = kind == Post::Outcome;
            call();
        },
        Qt::QueuedConnection);
}

Job& Job::operator=(Job&& other) noexcept
{
    if (this != &other) {
        abandon();
        m_ticket = std::move(other.m_ticket);
    }
    return *this;
}

void Job::cancel()
{
    if (!m_ticket)
        return;
    m_ticket->stop.request_stop();
    m_ticket->withdraw();
}

bool Job::pending() const
{
    return m_ticket && !m_ticket->delivered;
}

void Job::abandon()
{
    if (!m_ticket)
        return;
    m_ticket->abandoned = true;
    cancel();
    m_ticket->finished.wait(false);
    m_ticket.reset();
}

} // namespace headscope::app
