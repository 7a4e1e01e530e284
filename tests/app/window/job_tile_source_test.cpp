// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/job_tile_source.h"
#include "tests/widgets/sample_trace.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <latch>

using namespace headscope;
using namespace headscope::app;

namespace {

const core::MapRef map{{core::Stack::None, 0, core::Block::Self}, core::MapRef::By::Map, 1, 0};
const core::MapRef otherMap{{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Map, 0, 0};

core::TileArea area(std::int64_t row)
{
    return {row, 0, 4, 4, 1};
}

/// Keeps the worker busy until it is let go, so that wishes pile up.
struct Held {
    ComputeQueue queue;
    QObject receiver;
    std::atomic<bool> release{false};
    std::latch begun{1};
    Job job = queue.submit(
        Priority::Opening,
        [this](const core::Progress&) {
            begun.count_down();
            release.wait(false);
            return 0;
        },
        &receiver, [](const Outcome<int>&) {});

    Held() { begun.wait(); }
    ~Held() { letGo(); }
    void letGo()
    {
        release = true;
        release.notify_all();
    }
};

} // namespace

class JobTileSourceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_trace = samples::switchHead(samples::longText(40)); }
    void givesWhatTheMapIs();
    void asksOnlyOnce();
    void mostWantedFirstAndTheRestDropped();
    void otherMapsStayWanted();
    void aFailureIsASentenceOnce();
    void nothingOfAFormerTraceIsReported();
    void holdsNoMoreThanItsBound();
    void settles();
    void withoutATraceThereIsNothing();

private:
    std::shared_ptr<const core::Trace> m_trace;
};

void JobTileSourceTest::givesWhatTheMapIs()
{
    ComputeQueue queue;
    JobTileSource source;
    source.setQueue(&queue);
    source.setTrace(m_trace);
    QSignalSpy ready(&source, &widgets::TileSource::ready);
    QVERIFY(!source.tile(map, area(8)));
    QTRY_COMPARE(ready.size(), 1);
    const auto tile = source.tile(map, area(8));
    QVERIFY(tile);
    QCOMPARE(tile->values, core::tile(*m_trace, map, area(8)).values);
    QCOMPARE(ready[0][0].toULongLong(), source.generation());
}

void JobTileSourceTest::asksOnlyOnce()
{
    ComputeQueue queue;
    JobTileSource source;
    source.setQueue(&queue);
    source.setTrace(m_trace);
    QSignalSpy ready(&source, &widgets::TileSource::ready);
    for (int i = 0; i < 10; ++i)
        source.tile(map, area(0));
    QCOMPARE(source.outstanding(), 1u);
    QTRY_COMPARE(ready.size(), 1);
    QTest::qWait(10);
    QCOMPARE(ready.size(), 1);
}

void JobTileSourceTest::mostWantedFirstAndTheRestDropped()
{
    Held held;
    JobTileSource source;
    source.setQueue(&held.queue);
    source.setTrace(m_trace);
    std::vector<std::int64_t> rows;
    connect(&source, &widgets::TileSource::ready, this,
            [&](std::uint64_t, const core::MapRef&, const core::TileArea& done) { rows.push_back(done.row); });
    for (std::int64_t row = 0; row < 10; ++row)
        source.tile(map, area(row));
    const std::vector<core::TileArea> wanted{area(9), area(5), area(7)};
    source.retain(map, wanted);
    held.letGo();
    QTRY_COMPARE(source.outstanding(), 0u);
    QCOMPARE(rows, (std::vector<std::int64_t>{0, 1, 9, 5, 7})); // the first two were in the queue already
    QVERIFY(!source.tile(map, area(3)));                        // dropped, and may be asked for again
    QTRY_VERIFY(source.tile(map, area(3)));
}

void JobTileSourceTest::otherMapsStayWanted()
{
    Held held;
    JobTileSource source;
    source.setQueue(&held.queue);
    source.setTrace(m_trace);
    for (std::int64_t row = 0; row < 4; ++row) {
        source.tile(otherMap, area(row));
        source.tile(map, area(row));
    }
    source.retain(map, {});
    held.letGo();
    QTRY_COMPARE(source.outstanding(), 0u);
    for (std::int64_t row = 0; row < 4; ++row)
        QVERIFY(source.tile(otherMap, area(row)));
}

void JobTileSourceTest::aFailureIsASentenceOnce()
{
    ComputeQueue queue;
    JobTileSource source;
    source.setQueue(&queue);
    source.setTrace(m_trace);
    QSignalSpy failed(&source, &widgets::TileSource::failed);
    const core::MapRef missing{{core::Stack::None, 77, core::Block::Self}, core::MapRef::By::Map, 0, 0};
    source.tile(missing, area(0));
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(!failed[0][3].toString().isEmpty());
    source.tile(missing, area(0));
    QCOMPARE(source.outstanding(), 0u);
}

void JobTileSourceTest::nothingOfAFormerTraceIsReported()
{
    Held held;
    JobTileSource source;
    source.setQueue(&held.queue);
    source.setTrace(m_trace);
    QSignalSpy ready(&source, &widgets::TileSource::ready);
    for (std::int64_t row = 0; row < 6; ++row)
        source.tile(map, area(row));
    source.setTrace(samples::switchHead("another text"));
    QCOMPARE(source.outstanding(), 0u);
    held.letGo();
    QTest::qWait(30);
    QCOMPARE(ready.size(), 0);
}

void JobTileSourceTest::holdsNoMoreThanItsBound()
{
    ComputeQueue queue;
    JobTileSource source(3 * 4 * 4 * sizeof(float));
    source.setQueue(&queue);
    source.setTrace(m_trace);
    for (std::int64_t row = 0; row < 6; ++row) {
        source.tile(map, area(row));
        QTRY_COMPARE(source.outstanding(), 0u);
        QVERIFY(source.heldBytes() <= 3 * 4 * 4 * sizeof(float));
        QVERIFY(row < 3 || source.tile(map, area(3))); // used again and again: it stays
    }
    QVERIFY(source.tile(map, area(5)));
    QVERIFY(!source.tile(map, area(0)));
}

void JobTileSourceTest::settles()
{
    ComputeQueue queue;
    JobTileSource source;
    source.setQueue(&queue);
    source.setTrace(m_trace);
    QSignalSpy settled(&source, &JobTileSource::settled);
    for (std::int64_t row = 0; row < 5; ++row)
        source.tile(map, area(row));
    QTRY_COMPARE(settled.size(), 1);
    QCOMPARE(source.outstanding(), 0u);
}

void JobTileSourceTest::withoutATraceThereIsNothing()
{
    ComputeQueue queue;
    JobTileSource source;
    source.setQueue(&queue);
    QVERIFY(!source.tile(map, area(0)));
    QCOMPARE(source.outstanding(), 0u);
}

QTEST_GUILESS_MAIN(JobTileSourceTest)
#include "job_tile_source_test.moc"
