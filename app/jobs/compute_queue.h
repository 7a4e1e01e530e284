// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/job.h"
#include "app/jobs/outcome.h"
#include "core/progress.h"

#include <QMetaObject>
#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope::app {

/// What is done first. Work of one priority is done in the order it came.
enum class Priority : std::uint8_t { Opening, TypedText, VisibleTiles, ComparedText, Overview, Contexts, Corpus };

struct ProgressReport {
    double fraction = 0; // of the whole work, in [0, 1]
    QString stage;
};
using ProgressHandler = std::function<void(const ProgressReport&)>;

/// The work of one device, done by its own threads in order of priority. A running job gives way to waiting ones of higher
/// priority wherever it reports progress (a trace does at layer borders). Outcomes and progress are delivered as values on
/// the thread of the receiver. Made, used and destroyed on the GUI thread; the destructor cancels everything and waits.
class ComputeQueue
{
public:
    explicit ComputeQueue(int workers = 1);
    ~ComputeQueue();
    ComputeQueue(const ComputeQueue&) = delete;
    ComputeQueue& operator=(const ComputeQueue&) = delete;

    /// Does `work(const core::Progress&) -> T` and calls `deliver(Outcome<T>)` on the thread of `receiver`, which outlives
    /// the Job. Progress comes at most every 50 ms.
    template <class Work, class Deliver>
    [[nodiscard]] Job submit(Priority priority, Work work, QObject* receiver, Deliver deliver,
                             ProgressHandler progress = {});

    /// Work that waits or runs.
    std::size_t unfinished() const;

private:
    friend class Job;
    struct State;
    struct Task {
        Priority priority = Priority::Overview;
        std::shared_ptr<Ticket> ticket;
        std::function<void(const core::Progress&)> run; // computes and posts the outcome
        std::function<void()> withdraw;                 // posts WasCancelled
        QObject* receiver = nullptr;
        ProgressHandler progress;
    };

    Job enqueue(Task task);
    static std::shared_ptr<Ticket> makeTicket();
    /// Posts to the receiver's thread; does nothing there when the job is gone. `last`: the job is delivered by this.
    enum class Post : std::uint8_t { Progress, Outcome };
    static void post(QObject* receiver, std::shared_ptr<Ticket> ticket, Post kind, std::function<void()> call);

    std::shared_ptr<State> m_state;
    std::vector<std::jthread> m_workers;
};

template <class Work, class Deliver>
Job ComputeQueue::submit(Priority priority, Work work, QObject* receiver, Deliver deliver, ProgressHandler progress)
{
    using T = std::remove_cvref_t<std::invoke_result_t<Work&, const core::Progress&>>;
    auto ticket = makeTicket();
    auto shared = std::make_shared<std::pair<Work, Deliver>>(std::move(work), std::move(deliver));
    const auto send = [receiver, ticket, shared](Outcome<T> outcome) {
        auto value = std::make_shared<Outcome<T>>(std::move(outcome));
        post(receiver, ticket, Post::Outcome, [shared, value] { shared->second(std::move(*value)); });
    };
    return enqueue({priority, ticket, [shared, send](const core::Progress& p) { send(outcomeOf<T>(shared->first, p)); },
                    [send] { send(WasCancelled{}); }, receiver, std::move(progress)});
}

} // namespace headscope::app
