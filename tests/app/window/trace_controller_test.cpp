// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/trace_controller.h"
#include "tests/widgets/sample_trace.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace headscope;
using namespace headscope::app;
using namespace std::chrono_literals;

namespace {

/// Texts take as many milliseconds as they have bytes, in steps that report progress.
struct SlowWork {
    std::atomic<int> begun{0};
    std::atomic<int> cancelled{0};

    TraceWork work()
    {
        return [this](const TraceRequest& request, const core::Progress& progress) {
            const std::string& text = request.text;
            ++begun;
            for (std::size_t i = 0; i < text.size(); ++i) {
                std::this_thread::sleep_for(1ms);
                try {
                    progress.at(static_cast<double>(i) / static_cast<double>(text.size()), "layer");
                } catch (const core::Cancelled&) {
                    ++cancelled;
                    throw;
                }
            }
            if (text == "bad")
                throw core::Error("That is a bad text.");
            return TraceResult{samples::switchHead(text, samples::Maps::Left)};
        };
    }
};

std::string repeated(char letter, int count)
{
    return std::string(static_cast<std::size_t>(count), letter);
}

} // namespace

class TraceControllerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tracesAText();
    void theSameTextIsTracedOnce();
    void theLatestOfManyTextsWins();
    void steadyTypingShowsResults();
    void aLongTraceIsGivenUpForAShortText();
    void aFailureKeepsTheFormerTrace();
    void anEmptyTextIsATrace();
    void stopGivesUp();
    void comingBackToTheTextThatWasGivenUp();
};

void TraceControllerTest::tracesAText()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    QVERIFY(!controller.busy());
    QVERIFY(!controller.current());
    controller.setText("hello");
    QVERIFY(controller.busy());
    QTRY_VERIFY(controller.current());
    QVERIFY(!controller.busy());
    QCOMPARE(controller.trace()->text().text, std::string("hello"));
}

void TraceControllerTest::theSameTextIsTracedOnce()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    controller.setText("hello");
    controller.setText("hello");
    QTRY_VERIFY(controller.current());
    controller.setText("hello");
    QVERIFY(!controller.busy());
    QCOMPARE(slow.begun.load(), 1);
}

void TraceControllerTest::theLatestOfManyTextsWins()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    QSignalSpy traced(&controller, &TraceController::traced);
    for (int i = 1; i <= 40; ++i)
        controller.setText(repeated('x', i));
    QTRY_VERIFY(controller.current());
    QCOMPARE(controller.trace()->text().text, repeated('x', 40));
    QVERIFY2(slow.begun <= 2, "what was typed meanwhile is skipped");
    QCOMPARE(traced.size(), slow.begun - slow.cancelled);
}

void TraceControllerTest::steadyTypingShowsResults()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    QSignalSpy traced(&controller, &TraceController::traced);
    // A trace takes 60 ms and more, a key comes every 15 ms: each trace is outdated before it ends.
    for (int i = 0; i < 40; ++i) {
        controller.setText(repeated('x', 60 + i));
        QTest::qWait(15);
    }
    QVERIFY2(traced.size() >= 3, qPrintable(QString::number(traced.size())));
    QCOMPARE(slow.cancelled.load(), 0);
    QVERIFY(!controller.current());
    QTRY_VERIFY(controller.current());
    QCOMPARE(controller.trace()->text().text.size(), 99u);
}

void TraceControllerTest::aLongTraceIsGivenUpForAShortText()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    controller.setText(repeated('x', 20000));
    QTRY_COMPARE(slow.begun.load(), 1);
    QElapsedTimer timer;
    timer.start();
    controller.setText("short");
    QTRY_VERIFY(controller.current());
    QVERIFY(timer.elapsed() < 5000);
    QCOMPARE(slow.cancelled.load(), 1);
    QCOMPARE(controller.trace()->text().text, std::string("short"));
}

void TraceControllerTest::aFailureKeepsTheFormerTrace()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    QSignalSpy failed(&controller, &TraceController::failed);
    controller.setText("good");
    QTRY_VERIFY(controller.current());
    controller.setText("bad");
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].toString(), QStringLiteral("That is a bad text."));
    QVERIFY(!controller.current());
    QVERIFY(!controller.busy());
    QCOMPARE(controller.trace()->text().text, std::string("good"));
    controller.setText("good");
    QVERIFY(controller.current());
}

void TraceControllerTest::anEmptyTextIsATrace()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    controller.setText("");
    QTRY_VERIFY(controller.trace());
    QVERIFY(controller.current());
}

void TraceControllerTest::stopGivesUp()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    QSignalSpy traced(&controller, &TraceController::traced);
    controller.setText(repeated('x', 20000));
    controller.setText("more");
    controller.stop();
    QTRY_VERIFY(!controller.busy());
    QCOMPARE(traced.size(), 0);
}

void TraceControllerTest::comingBackToTheTextThatWasGivenUp()
{
    SlowWork slow;
    ComputeQueue queue;
    TraceController controller(slow.work(), queue);
    const std::string text = repeated('x', 300);
    controller.setText(text);
    QTRY_COMPARE(slow.begun.load(), 1);
    controller.setText("x"); // gives up the first
    controller.setText(text);
    QTRY_VERIFY(controller.current());
    QCOMPARE(controller.trace()->text().text, text);
}

QTEST_GUILESS_MAIN(TraceControllerTest)
#include "trace_controller_test.moc"
