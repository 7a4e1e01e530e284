// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/compute_queue.h"
#include "app/jobs/typed_text_pace.h"

#include <QTest>
#include <QThread>

#include <atomic>
#include <latch>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::app;
using namespace std::chrono_literals;

namespace {

template <class T>
struct Box {
    std::vector<Outcome<T>> outcomes;
    auto receive()
    {
        return [this](Outcome<T> outcome) { outcomes.push_back(std::move(outcome)); };
    }
    bool value(const T& expected) const { return outcomes.size() == 1 && std::get<0>(outcomes[0]) == expected; }
    bool cancelled() const { return outcomes.size() == 1 && std::holds_alternative<WasCancelled>(outcomes[0]); }
    QString sentence() const
    {
        const auto* failure = outcomes.size() == 1 ? std::get_if<Failure>(&outcomes[0]) : nullptr;
        return failure ? QString::fromStdString(failure->sentence) : QString();
    }
};

/// A job that has begun and works until it is cancelled or released.
struct Blocker {
    std::latch begun{1};
    std::atomic<bool> release{false};
    auto work()
    {
        return [this](const core::Progress& progress) {
            begun.count_down();
            while (!release) {
                progress.checkpoint();
                std::this_thread::sleep_for(1ms);
            }
            return 1;
        };
    }
};

} // namespace

class ComputeQueueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void deliversOnTheThreadOfTheReceiver();
    void takesByPriorityThenInOrder();
    void givesWayWhereProgressIsReported();
    void makesAValueOfEveryException_data();
    void makesAValueOfEveryException();
    void cancelsARunningJob();
    void cancelsAWaitingJobAtOnce();
    void destructorOfAJobWaitsAndSilences();
    void aJobMayOutliveItsQueue();
    void destroyingTheQueueCancels();
    void progressIsThrottled();
    void assigningAJobAbandonsTheFormer();
    void severalWorkersWorkAtOnce();
    void manyJobsAllArrive();
    void pace();
};

void ComputeQueueTest::deliversOnTheThreadOfTheReceiver()
{
    ComputeQueue queue;
    QObject receiver;
    QThread* delivered = nullptr;
    QThread* worked = nullptr;
    Job job = queue.submit(
        Priority::TypedText,
        [&](const core::Progress&) {
            worked = QThread::currentThread();
            return std::string("done");
        },
        &receiver,
        [&](Outcome<std::string> outcome) {
            QCOMPARE(QString::fromStdString(std::get<0>(outcome)), QStringLiteral("done"));
            delivered = QThread::currentThread();
        });
    QVERIFY(job.pending());
    QTRY_VERIFY(delivered);
    QVERIFY(!job.pending());
    QCOMPARE(delivered, thread());
    QVERIFY(worked != thread());
}

void ComputeQueueTest::takesByPriorityThenInOrder()
{
    ComputeQueue queue;
    QObject receiver;
    Blocker blocker;
    std::vector<int> order; // written by the one worker, read after the last delivery
    Box<int> box;
    std::vector<Job> jobs;
    jobs.push_back(queue.submit(Priority::Corpus, blocker.work(), &receiver, box.receive()));
    blocker.begun.wait();
    const auto add = [&](Priority priority, int name) {
        jobs.push_back(queue.submit(
            priority,
            [&order, name](const core::Progress&) {
                order.push_back(name);
                return name;
            },
            &receiver, box.receive()));
    };
    add(Priority::Corpus, 5);
    add(Priority::Overview, 4);
    add(Priority::VisibleTiles, 2);
    add(Priority::VisibleTiles, 3);
    add(Priority::TypedText, 1);
    add(Priority::Opening, 0);
    QCOMPARE(queue.unfinished(), 7u);
    blocker.release = true;
    QTRY_COMPARE(box.outcomes.size(), 7u);
    QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    QTRY_COMPARE(queue.unfinished(), 0u);
}

void ComputeQueueTest::givesWayWhereProgressIsReported()
{
    ComputeQueue queue;
    QObject receiver;
    std::vector<std::string> steps;
    Box<int> box;
    std::latch begun{1};
    std::atomic<bool> more{false};
    Job corpus = queue.submit(
        Priority::Corpus,
        [&](const core::Progress& progress) {
            begun.count_down();
            while (!more)
                std::this_thread::sleep_for(1ms);
            steps.emplace_back("layer 0");
            progress.at(0.5, "layer 1");
            steps.emplace_back("layer 1");
            return 0;
        },
        &receiver, box.receive());
    begun.wait();
    Job later = queue.submit(
        Priority::Corpus,
        [&](const core::Progress&) {
            steps.emplace_back("another corpus");
            return 0;
        },
        &receiver, box.receive());
    Job typed = queue.submit(
        Priority::TypedText,
        [&](const core::Progress&) {
            steps.emplace_back("typed");
            return 0;
        },
        &receiver, box.receive());
    more = true;
    QTRY_COMPARE(box.outcomes.size(), 3u);
    QCOMPARE(steps, (std::vector<std::string>{"layer 0", "typed", "layer 1", "another corpus"}));
}

void ComputeQueueTest::makesAValueOfEveryException_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("error") << 0 << QStringLiteral("a.pth: it is cut off.");
    QTest::newRow("memory") << 1
                            << QStringLiteral(
                                   "There is not enough memory for this; close a checkpoint or shorten the text.");
    QTest::newRow("unforeseen") << 2 << QStringLiteral("This went wrong in a way nobody foresaw: boom.");
    QTest::newRow("no exception type at all")
        << 3 << QStringLiteral("This went wrong in a way nobody foresaw, without saying how.");
}

void ComputeQueueTest::makesAValueOfEveryException()
{
    QFETCH(int, kind);
    ComputeQueue queue;
    QObject receiver;
    Box<int> box;
    Job job = queue.submit(
        Priority::TypedText,
        [kind](const core::Progress&) -> int {
            switch (kind) {
            case 0: throw core::Error("a.pth: it is cut off.");
            case 1: throw std::bad_alloc();
            case 2: throw std::logic_error("boom");
            default: throw 7;
            }
        },
        &receiver, box.receive());
    QTRY_COMPARE(box.outcomes.size(), 1u);
    QTEST(box.sentence(), "sentence");
}

void ComputeQueueTest::cancelsARunningJob()
{
    ComputeQueue queue;
    QObject receiver;
    Blocker blocker;
    Box<int> box;
    Job job = queue.submit(Priority::TypedText, blocker.work(), &receiver, box.receive());
    blocker.begun.wait();
    job.cancel();
    QVERIFY(job.pending()); // told by delivery, not by the call
    QTRY_VERIFY(box.cancelled());
    QVERIFY(!job.pending());
}

void ComputeQueueTest::cancelsAWaitingJobAtOnce()
{
    ComputeQueue queue;
    QObject receiver;
    Blocker blocker;
    Box<int> blocked, waiting;
    Job first = queue.submit(Priority::TypedText, blocker.work(), &receiver, blocked.receive());
    blocker.begun.wait();
    bool ran = false;
    Job second = queue.submit(
        Priority::TypedText, [&](const core::Progress&) { return ran = true, 1; }, &receiver, waiting.receive());
    second.cancel();
    QTRY_VERIFY(waiting.cancelled());
    QVERIFY(blocked.outcomes.empty());
    blocker.release = true;
    QTRY_VERIFY(blocked.value(1));
    QVERIFY(!ran);
}

void ComputeQueueTest::destructorOfAJobWaitsAndSilences()
{
    ComputeQueue queue;
    QObject receiver;
    Box<int> box;
    std::latch begun{1};
    std::atomic<bool> left{false};
    {
        Job job = queue.submit(
            Priority::TypedText,
            [&](const core::Progress& progress) {
                begun.count_down();
                while (!progress.stop.stop_requested())
                    std::this_thread::sleep_for(1ms);
                std::this_thread::sleep_for(20ms);
                left = true;
                return 1;
            },
            &receiver, box.receive());
        begun.wait();
    }
    QVERIFY(left);
    QTest::qWait(20);
    QVERIFY(box.outcomes.empty());
}

void ComputeQueueTest::aJobMayOutliveItsQueue()
{
    QObject receiver;
    Box<int> box;
    Job job;
    {
        ComputeQueue queue;
        job = queue.submit(
            Priority::TypedText, [](const core::Progress&) { return 3; }, &receiver, box.receive());
    }
    QTRY_COMPARE(box.outcomes.size(), 1u);
    job.cancel();
}

void ComputeQueueTest::destroyingTheQueueCancels()
{
    QObject receiver;
    Blocker blocker;
    Box<int> running, waiting;
    Job first, second;
    {
        ComputeQueue queue;
        first = queue.submit(Priority::TypedText, blocker.work(), &receiver, running.receive());
        second = queue.submit(
            Priority::Overview, [](const core::Progress&) { return 2; }, &receiver, waiting.receive());
        blocker.begun.wait();
    }
    QTRY_VERIFY(running.cancelled());
    QTRY_VERIFY(waiting.cancelled());
}

void ComputeQueueTest::progressIsThrottled()
{
    ComputeQueue queue;
    QObject receiver;
    Box<int> box;
    std::vector<double> fractions;
    Job job = queue.submit(
        Priority::Opening,
        [](const core::Progress& progress) {
            for (int i = 0; i < 250; ++i) {
                progress.at(i / 250.0, "reading");
                std::this_thread::sleep_for(1ms);
            }
            return 1;
        },
        &receiver, box.receive(),
        [&](const ProgressReport& report) {
            QCOMPARE(report.stage, QStringLiteral("reading"));
            fractions.push_back(report.fraction);
        });
    QTRY_COMPARE(box.outcomes.size(), 1u);
    QVERIFY(!fractions.empty());
    QVERIFY2(fractions.size() <= 12, qPrintable(QString::number(fractions.size())));
    QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
}

void ComputeQueueTest::assigningAJobAbandonsTheFormer()
{
    ComputeQueue queue;
    QObject receiver;
    Box<int> former, latter;
    Job job = queue.submit(
        Priority::TypedText, [](const core::Progress&) { return 1; }, &receiver, former.receive());
    job = queue.submit(
        Priority::TypedText, [](const core::Progress&) { return 2; }, &receiver, latter.receive());
    QTRY_VERIFY(latter.value(2));
    QVERIFY(former.outcomes.empty());
}

void ComputeQueueTest::severalWorkersWorkAtOnce()
{
    ComputeQueue queue(2);
    QObject receiver;
    Box<int> box;
    std::latch both{2};
    const auto meet = [&](const core::Progress&) {
        both.arrive_and_wait();
        return 1;
    };
    Job first = queue.submit(Priority::TypedText, meet, &receiver, box.receive());
    Job second = queue.submit(Priority::TypedText, meet, &receiver, box.receive());
    QTRY_COMPARE(box.outcomes.size(), 2u);
}

void ComputeQueueTest::manyJobsAllArrive()
{
    ComputeQueue queue(2);
    QObject receiver;
    int values = 0, cancelled = 0;
    std::vector<Job> jobs;
    for (int i = 0; i < 2000; ++i) {
        jobs.push_back(queue.submit(
            static_cast<Priority>(i % 5), [i](const core::Progress&) { return i; }, &receiver,
            [&, i](Outcome<int> outcome) {
                if (const int* value = std::get_if<int>(&outcome)) {
                    QCOMPARE(*value, i);
                    ++values;
                } else {
                    ++cancelled;
                }
            }));
        if (i % 3 == 0)
            jobs[static_cast<std::size_t>(i) / 2].cancel();
    }
    QTRY_COMPARE(values + cancelled, 2000);
}

void ComputeQueueTest::pace()
{
    TypedTextPace pace;
    // Nothing is known: only a much smaller text is worth giving up for.
    QVERIFY(!pace.giveUp({1000, 5, 0}, 999));
    QVERIFY(pace.giveUp({1000, 5, 0}, 10));
    // From its own progress: 100 ms in, a quarter done, 300 ms left.
    QVERIFY(!pace.giveUp({1000, 100, 0.25}, 1001));
    QVERIFY(pace.giveUp({1000, 100, 0.25}, 500));
    QVERIFY(!pace.giveUp({1000, 100, 0.25}, 800));
    // From the last trace: 1 ms per unit.
    pace.finished(984, 1000);
    QVERIFY(!pace.giveUp({984, 0, 0}, 985)); // one more letter never stops a trace
    QVERIFY(!pace.giveUp({984, 50, 0}, 983));
    QVERIFY(pace.giveUp({984, 50, 0}, 500));
    QVERIFY(!pace.giveUp({984, 990, 0}, 5));  // nearly done
    QVERIFY(!pace.giveUp({984, 3000, 0}, 5)); // long overdue: it must be nearly done
}

QTEST_GUILESS_MAIN(ComputeQueueTest)
#include "compute_queue_test.moc"
