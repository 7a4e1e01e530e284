// SPDX-License-Identifier: GPL-3.0-or-later
// Texts whose trace takes long or much memory: the window asks before it begins.
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

using namespace headscope;
using namespace headscope::app;

namespace {

constexpr const char* shortText = "one two";
const std::string longText = [] {
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += "one two three four five six seven eight nine ten eleven twelve ";
    return text;
}();

struct Fixture : samples::WindowFixture {
    QStringList sentences() { return window.views().textMessages()->sentences(); }
    void askedFor(const std::string& text)
    {
        window.setText(text);
        QTRY_VERIFY(samples::containsVisible(sentences(), QStringLiteral("This text has ")));
        QVERIFY(!workspace.current());
        QVERIFY(workspace.idle());
    }
    void press(const QString& text)
    {
        for (QPushButton* button : window.findChildren<QPushButton*>())
            if (button->text() == text && button->isVisible())
                return button->click();
        QFAIL(qPrintable(text));
    }
};

} // namespace

class LongTextTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTracerAsksAndLearns();
    void memoryIsALimitToo();
    void theWindowAsksAndTraces();
    void onlyRouting();
    void theQuestionGoesWithItsText();
    void bIsAskedFor();
    void pictures();
};

void LongTextTest::theTracerAsksAndLearns()
{
    const auto open = samples::fakeOpener(std::make_shared<samples::FakeControl>());
    TextTracer tracer(open("/x/switchhead-slow.fake", {}, {}));
    QVERIFY(tracer({shortText, nullptr}, {}).trace);
    const TraceResult asked = tracer({longText, nullptr}, {});
    QVERIFY(!asked.trace);
    QVERIFY(asked.question);
    QVERIFY(asked.question->tokens >= 90);
    QVERIFY(asked.question->whole.seconds > longSeconds && asked.question->whole.seconds < 60);
    QVERIFY(asked.question->routingOnly.bytes < asked.question->whole.bytes);
    const TraceResult routing = tracer({longText, nullptr, WhenLong::TraceRoutingOnly}, {});
    QVERIFY(routing.trace && !routing.question);
    QVERIFY(routing.trace->attention.empty());
    QVERIFY(!routing.trace->options.maps);
    // That took milliseconds: so will the next.
    QVERIFY(tracer({longText, nullptr}, {}).trace);
}

void LongTextTest::memoryIsALimitToo()
{
    const auto open = samples::fakeOpener(std::make_shared<samples::FakeControl>());
    TextTracer tracer(open("/x/switchhead.fake", {}, {}), {1e9, 1000});
    QVERIFY(tracer({longText, nullptr}, {}).question);
    QVERIFY(!tracer({"", nullptr}, {}).question);
    QVERIFY(availableBytes() > 0);
}

void LongTextTest::theWindowAsksAndTraces()
{
    Fixture f;
    f.window.setText(shortText);
    f.openAndSettle("/x/switchhead-slow.fake");
    QVERIFY(f.sentences().isEmpty()); // a short text is traced at once
    const auto former = f.workspace.trace();
    const int begun = f.control->begun;
    f.askedFor(longText);
    QCOMPARE(f.control->begun.load(), begun);
    QCOMPARE(f.workspace.trace(), former);
    QTRY_VERIFY(f.window.views().strip()->isStale());
    f.press(QStringLiteral("Trace it"));
    f.settle();
    QVERIFY(f.workspace.current());
    QCOMPARE(f.workspace.trace()->text().text, longText);
    QVERIFY(!f.workspace.trace()->attention.empty());
    QVERIFY(f.sentences().isEmpty());
    QTRY_VERIFY(!f.window.views().strip()->isStale());
}

void LongTextTest::onlyRouting()
{
    Fixture f;
    f.openAndSettle("/x/switchhead-slow.fake");
    f.askedFor(longText);
    f.press(QStringLiteral("Only routing"));
    f.settle();
    QVERIFY(f.workspace.current());
    QVERIFY(f.workspace.trace()->attention.empty());
    QVERIFY(!f.workspace.trace()->sites.empty());
    f.window.views().pages()->setCurrentIndex(1); // the page of maps has none to show
    f.window.grab();
}

void LongTextTest::theQuestionGoesWithItsText()
{
    Fixture f;
    f.openAndSettle("/x/switchhead-slow.fake");
    f.askedFor(longText);
    f.window.setText(shortText);
    f.settle();
    QVERIFY(f.sentences().isEmpty());
    QVERIFY(f.workspace.current());
    f.askedFor(longText);
    QTest::keyClicks(f.window.views().editor()->edit(), QStringLiteral(" and")); // a long text again
    QTRY_VERIFY(f.workspace.idle());
    QCOMPARE(f.sentences().size(), 1);
    QVERIFY(!f.workspace.current());
}

void LongTextTest::bIsAskedFor()
{
    Fixture f;
    f.openAndSettle("/x/moa-slow.fake");
    f.openAndSettle("/x/switchhead.fake");
    f.workspace.put(Slot::B, f.workspace.checkpoints().session(0));
    f.settle();
    f.window.setText(longText);
    f.settle();
    QVERIFY(f.workspace.current());
    QTRY_VERIFY(samples::containsVisible(f.window.views().messages()->sentences(), QStringLiteral("For B, x/moa-slow.fake")));
    const auto a = f.workspace.trace();
    f.press(QStringLiteral("Trace it"));
    QTRY_VERIFY(f.workspace.secondCurrent());
    QCOMPARE(f.workspace.trace(), a);
    QTRY_VERIFY(f.window.views().messages()->sentences().isEmpty());
}

void LongTextTest::pictures()
{
    for (const bool light : {true, false}) {
        const auto theme = light ? widgets::Theme::light() : widgets::Theme::dark();
        const QString name = light ? QStringLiteral("light") : QStringLiteral("dark");
        Fixture f;
        f.window.setTheme(light ? ThemeChoice::Light : ThemeChoice::Dark);
        f.window.setText("The committee met again.");
        f.openAndSettle("/x/switchhead-slow.fake");
        f.askedFor(longText);
        QTRY_VERIFY(f.window.views().strip()->isStale());
        const QImage asking = samples::pictureOf(f.window, QStringLiteral("long-") + name, theme, {1280, 860});
        QVERIFY(samples::inkIn(asking, f.window.views().textMessages()->rect().translated(
                                           f.window.views().textMessages()->mapTo(&f.window, QPoint())),
                               theme.window) > 500);
        f.press(QStringLiteral("Only routing"));
        f.settle();
        f.window.views().pages()->setCurrentIndex(1);
        samples::pictureOf(f.window, QStringLiteral("only-routing-") + name, theme, {1280, 860});
    }
}

QTEST_MAIN(LongTextTest)
#include "long_text_test.moc"
