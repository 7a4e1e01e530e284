// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"
#include "widgets/number_text.h"
#include "widgets/oklab.h"
#include "widgets/palette.h"
#include "widgets/token_strip.h"
#include "widgets/token_tooltip.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

core::RouterAddress router(const char* address)
{
    return *core::RouterAddress::parse(address);
}

/// A strip on its own, with a selection, shown at a fixed size.
struct Bench {
    Selection selection;
    TokenStrip strip;

    explicit Bench(std::shared_ptr<const core::Trace> trace)
    {
        strip.setPalette(Theme::light().palette());
        strip.resize(640, 240);
        strip.setSelection(&selection);
        strip.setTrace(std::move(trace));
        strip.show();
        strip.setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&strip));
    }

    void click(std::size_t item, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(strip.viewport(), Qt::LeftButton, modifiers, strip.itemRect(item).center());
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&strip, key, modifiers); }
    std::string selected() const
    {
        const auto bytes = selection.state().bytes;
        return bytes ? text().substr(bytes->begin, bytes->size()) : "nothing";
    }
    QImage picture() { return strip.viewport()->grab().toImage(); }

    std::string text() const { return samples::text(); }
};

/// The colour of a chip's body, at its left above the label.
QColor bodyColor(const QImage& picture, const QRect& rect)
{
    return picture.pixelColor(rect.left() + 5, rect.top() + 3);
}

} // namespace

class TestTokenStrip : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void clickSelectsTheBytesOfAToken();
    void shiftClickAndDragExtend();
    void aGroupIsSelectedWhole();
    void tokensWithoutBytesSelectNothing();
    void keysMove();
    void homeEndAndAll();
    void escapeAndEmptySpaceClear();
    void chipsShowTheChosenRouter();
    void aChosenExpertIsShownAlone();
    void foreignRoutersColourNothing();
    void doubtfulChoicesAreMarked();
    void selectionFromElsewhereIsShownAndScrolledTo();
    void hoverGoesBothWays();
    void staleIsPaler();
    void paintsTheSameAfterScrolling();
    void hoverRepaintsLittle();
    void takesAnyTrace_data();
    void takesAnyTrace();
    void tooltipHasTheExactNumbers();
    void tooltipOfLargeRoutersIsShort();
};

void TestTokenStrip::clickSelectsTheBytesOfAToken()
{
    Bench bench(samples::switchHead(samples::text()));
    QSignalSpy spy(&bench.selection, &Selection::changed);
    bench.click(3);
    QCOMPARE(bench.selected(), " sure,");
    QCOMPARE(bench.strip.selectedItems(), (std::pair<std::size_t, std::size_t>{3, 4}));
    bench.click(3);
    int byteChanges = 0;
    for (const auto& call : spy)
        byteChanges += call.first().value<Selection::Fields>().testFlag(Selection::Field::Bytes);
    QCOMPARE(byteChanges, 1);
}

void TestTokenStrip::shiftClickAndDragExtend()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(2);
    bench.click(4, Qt::ShiftModifier);
    QCOMPARE(bench.selected(), " be sure, Lizzy,\"");
    bench.click(1, Qt::ShiftModifier); // from the same anchor to the other side
    QCOMPARE(bench.selected(), "\"To be");
    auto* viewport = bench.strip.viewport();
    QTest::mousePress(viewport, Qt::LeftButton, {}, bench.strip.itemRect(5).center());
    QTest::mouseMove(viewport, bench.strip.itemRect(7).center());
    QTest::mouseRelease(viewport, Qt::LeftButton, {}, bench.strip.itemRect(7).center());
    QCOMPARE(bench.selected(), " said her aunt,");
}

void TestTokenStrip::aGroupIsSelectedWhole()
{
    const auto trace = samples::switchHead(samples::text());
    Bench bench(trace);
    const auto& tokens = trace->text().tokens;
    std::size_t second = 0;
    while (tokens[second].piece != "<0x9F>")
        ++second;
    bench.click(bench.strip.items().ofToken[second]);
    QCOMPARE(bench.selected(), "\U0001F600");
    QCOMPARE(bench.strip.selectedItems().second - bench.strip.selectedItems().first, std::size_t(4));
    bench.key(Qt::Key_Right); // past the group in one step
    QCOMPARE(bench.selected(), " \u05e9\u05dc\u05d5\u05dd");
    bench.key(Qt::Key_Left);
    QCOMPARE(bench.selected(), "\U0001F600");
}

void TestTokenStrip::tokensWithoutBytesSelectNothing()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(2);
    bench.click(0);
    QCOMPARE(bench.selected(), "nothing");
    bench.click(1, Qt::ShiftModifier); // but a range may begin there
    QCOMPARE(bench.selected(), "\"To");
}

void TestTokenStrip::keysMove()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(1);
    bench.key(Qt::Key_Right);
    QCOMPARE(bench.selected(), " be");
    bench.key(Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(bench.selected(), " be sure,");
    bench.key(Qt::Key_Left, Qt::ShiftModifier);
    bench.key(Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(bench.selected(), "\"To be");
    bench.click(2);
    const auto line = bench.strip.layout().lineOf(2);
    bench.key(Qt::Key_Down);
    QCOMPARE(bench.strip.layout().lineOf(bench.strip.selectedItems().first), line + 1);
    bench.key(Qt::Key_Up);
    QCOMPARE(bench.strip.layout().lineOf(bench.strip.selectedItems().first), line);
}

void TestTokenStrip::homeEndAndAll()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(3);
    bench.key(Qt::Key_End);
    QCOMPARE(bench.strip.selectedItems().second, std::size_t(bench.strip.layout().lines()[0].last));
    bench.key(Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(bench.selected(), " line.");
    bench.key(Qt::Key_Home, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(bench.selected(), bench.text());
    bench.click(3);
    bench.key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(bench.selected(), bench.text());
}

void TestTokenStrip::escapeAndEmptySpaceClear()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(3);
    bench.key(Qt::Key_Escape);
    QCOMPARE(bench.selected(), "nothing");
    bench.click(3);
    QTest::mouseClick(bench.strip.viewport(), Qt::LeftButton, {}, QPoint(600, bench.strip.viewport()->height() - 4));
    QCOMPARE(bench.selected(), "nothing");
}

void TestTokenStrip::chipsShowTheChosenRouter()
{
    const auto trace = samples::switchHead(samples::text());
    Bench bench(trace);
    QCOMPARE(bodyColor(bench.picture(), bench.strip.itemRect(8)), Theme::light().neutral);
    for (const char* address : {"layers.0.self.v.h1", "layers.1.self.o.h0"}) {
        bench.selection.setRouter(router(address));
        const auto& site = *trace->site(router(address));
        const int head = site.headOf(router(address));
        const QImage picture = bench.picture();
        float largest = 0;
        for (std::int64_t token = 0; token < site.tokens; ++token)
            largest = std::max(largest, site.gates[site.slot(token, head, 0)]);
        for (const std::int64_t token : {1, 8, 12}) {
            const auto slot = site.slot(token, head, 0);
            const QColor expected = expertColor(site.experts[slot], site.gates[slot] / largest, Theme::light());
            const QColor seen =
                bodyColor(picture, bench.strip.itemRect(bench.strip.items().ofToken[static_cast<std::size_t>(token)]));
            QVERIFY2(oklabDistance(seen, expected) < 0.02, qPrintable(seen.name() + expected.name()));
        }
    }
}

void TestTokenStrip::aChosenExpertIsShownAlone()
{
    const auto trace = samples::switchHead(samples::text());
    Bench bench(trace);
    const auto address = router("layers.0.self.o.h1");
    bench.selection.setRouter(address);
    bench.selection.setExpert(2);
    const auto& site = *trace->site(address);
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        float gate = 0;
        for (int position = 0; position < site.router.chosen; ++position)
            if (site.experts[site.slot(token, 1, position)] == 2)
                gate = site.gates[site.slot(token, 1, position)];
        const auto& shade = bench.strip.shades().tokens[static_cast<std::size_t>(token)];
        QCOMPARE(shade.expert, static_cast<std::int16_t>(gate > 0 ? 2 : -1));
        QVERIFY(std::abs(shade.strength * bench.strip.shades().largestGate - gate) < 1e-6F);
    }
}

void TestTokenStrip::foreignRoutersColourNothing()
{
    Bench bench(samples::moa(samples::text()));
    bench.selection.setRouter(router("layers.0.self.v.h1"));
    QVERIFY(bench.strip.shades().tokens.empty());
    bench.selection.setRouter(router("layers.0.self.qo"));
    QVERIFY(!bench.strip.shades().tokens.empty());
}

void TestTokenStrip::doubtfulChoicesAreMarked()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.selection.setRouter(router("layers.0.self.v.h0"));
    QVERIFY(bench.strip.shades().tokens[5].doubtful);
    QVERIFY(!bench.strip.shades().tokens[6].doubtful);
    // The dashes run along the inside of the chip's upper edge.
    const auto inks = [&](std::size_t token) {
        const QRect rect = bench.strip.itemRect(bench.strip.items().ofToken[token]);
        const QImage picture = bench.picture();
        int changes = 0;
        for (int x = rect.left() + 6; x < rect.right() - 6; ++x)
            changes += picture.pixel(x, rect.top() + 1) != picture.pixel(x + 1, rect.top() + 1);
        return changes;
    };
    QVERIFY(inks(5) > 6);
    QCOMPARE(inks(6), 0);
}

void TestTokenStrip::selectionFromElsewhereIsShownAndScrolledTo()
{
    const auto trace = samples::switchHead(samples::longText(3000), samples::Maps::Left);
    Bench bench(trace);
    QCOMPARE(bench.strip.verticalScrollBar()->value(), 0);
    const auto span = trace->text().tokens[2500].span;
    bench.selection.setBytes(core::ByteRange{span.begin + 1, span.begin + 2});
    const auto [first, last] = bench.strip.selectedItems();
    QCOMPARE(first, std::size_t(bench.strip.items().ofToken[2500]));
    QCOMPARE(last, first + 1);
    QVERIFY(bench.strip.viewport()->rect().contains(bench.strip.itemRect(first)));
    QCOMPARE(*bench.selection.state().bytes,
             (core::ByteRange{span.begin + 1, span.begin + 2})); // not widened behind one's back
    bench.selection.setBytes(std::nullopt);
    QCOMPARE(bench.strip.selectedItems(), (std::pair<std::size_t, std::size_t>{0, 0}));
}

void TestTokenStrip::hoverGoesBothWays()
{
    Bench bench(samples::switchHead(samples::text()));
    QTest::mouseMove(bench.strip.viewport(), bench.strip.itemRect(3).center());
    QTRY_VERIFY(bench.selection.state().hover);
    const auto hover = *bench.selection.state().hover;
    QCOMPARE(bench.text().substr(hover.begin, hover.size()), " sure,");
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(bench.strip.viewport(), &leave);
    QVERIFY(!bench.selection.state().hover);
    const QImage before = bench.picture();
    bench.selection.setHover(core::ByteRange{20, 25});
    QVERIFY(bench.picture() != before);
    bench.selection.setHover(std::nullopt);
    QCOMPARE(bench.picture(), before);
}

void TestTokenStrip::staleIsPaler()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.selection.setRouter(router("layers.0.self.v.h0"));
    const auto lightness = [&] { return toOklab(bodyColor(bench.picture(), bench.strip.itemRect(8))).lightness; };
    const double fresh = lightness();
    bench.strip.setStale(true);
    QVERIFY(lightness() > fresh + 0.05);
    bench.strip.setTrace(samples::switchHead(samples::text()));
    QVERIFY(!bench.strip.isStale());
    QVERIFY(std::abs(lightness() - fresh) < 0.01);
}

void TestTokenStrip::paintsTheSameAfterScrolling()
{
    Bench bench(samples::switchHead(samples::longText(2000), samples::Maps::Left));
    bench.selection.setRouter(router("layers.0.self.v.h0"));
    auto* bar = bench.strip.verticalScrollBar();
    for (const int place : {0, 7, 40, 41, 900, 861, 860, 3, 0})
        bar->setValue(place), bench.picture();
    bar->setValue(57);
    const QImage scrolled = bench.picture();
    bench.selection.setRouter(router("layers.0.self.v.h1"));
    bench.selection.setRouter(router("layers.0.self.v.h0")); // drops the cached picture
    QCOMPARE(bench.picture(), scrolled);
}

/// Counts the area of paint events.
class PaintArea : public QObject
{
public:
    int area = 0;
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            for (const QRect& rect : static_cast<QPaintEvent*>(event)->region())
                area += rect.width() * rect.height();
        return false;
    }
};

void TestTokenStrip::hoverRepaintsLittle()
{
    Bench bench(samples::switchHead(samples::text()));
    QTest::mouseMove(bench.strip.viewport(), bench.strip.itemRect(3).center());
    QTest::qWait(20);
    PaintArea paint;
    bench.strip.viewport()->installEventFilter(&paint);
    QTest::mouseMove(bench.strip.viewport(), bench.strip.itemRect(4).center());
    QTRY_VERIFY(paint.area > 0);
    QVERIFY2(paint.area < 640 * 60, qPrintable(QString::number(paint.area)));
}

void TestTokenStrip::takesAnyTrace_data()
{
    QTest::addColumn<std::shared_ptr<const core::Trace>>("trace");
    QTest::newRow("none") << std::shared_ptr<const core::Trace>();
    QTest::newRow("no tokens") << samples::switchHead("");
    QTest::newRow("dense") << samples::dense(samples::text());
    QTest::newRow("feed-forward routers") << samples::switchAll(samples::text());
    QTest::newRow("everything odd") << samples::moa("\u202eabc\u202c\n\n\n   \t\x01 \xff\xfe \u00a0 \u2028 e\u0301 \u0301");
}

void TestTokenStrip::takesAnyTrace()
{
    QFETCH(std::shared_ptr<const core::Trace>, trace);
    Bench bench(trace);
    bench.selection.setBytes(core::ByteRange{1, 4});
    bench.selection.setHover(core::ByteRange{100000, 100004});
    bench.selection.setStream(3);
    bench.selection.setRouter(router("layers.0.self.qo"));
    for (const auto key : {Qt::Key_Right, Qt::Key_End, Qt::Key_Down, Qt::Key_PageDown, Qt::Key_Home, Qt::Key_Escape})
        bench.key(key);
    bench.key(Qt::Key_A, Qt::ControlModifier);
    QTest::mouseClick(bench.strip.viewport(), Qt::LeftButton, {}, QPoint(20, 20));
    for (const int width : {640, 30, 1})
        bench.strip.resize(width, 200), bench.picture();
    bench.strip.setTrace(nullptr);
    bench.picture();
}

void TestTokenStrip::tooltipHasTheExactNumbers()
{
    const auto trace = samples::switchHead(samples::text());
    const auto address = router("layers.1.self.v.h1");
    const auto& site = *trace->site(address);
    const QString html = tokenTooltip(*trace, 0, 3, address);
    QVERIFY(html.contains(QStringLiteral("␣sure,")));
    QVERIFY(html.contains(QStringLiteral("id %1").arg(trace->text().tokens[3].id)));
    QVERIFY(html.contains(QStringLiteral("bytes [6, 12)")));
    for (int expert = 0; expert < 4; ++expert)
        QVERIFY(html.contains(exactNumber(site.logits[site.logit(3, 1, expert)])));
    for (int position = 0; position < 2; ++position)
        QVERIFY(html.contains(exactNumber(site.gates[site.slot(3, 1, position)])));
    QVERIFY(html.contains(exactNumber(site.margins[site.margin(3, 1)])));
    QVERIFY(html.contains(exactNumber(trace->loss[3])));
    QVERIFY(html.contains(QStringLiteral("layers.1.self.v.h1")));
    QVERIFY(tokenTooltip(*trace, 0, 5, address).contains(QStringLiteral("doubtful")));
    QVERIFY(tokenTooltip(*trace, 0, 0, address).contains(QStringLiteral("special")));
    QVERIFY(!tokenTooltip(*trace, 0, 3, std::nullopt).contains(QStringLiteral("margin")));
    QVERIFY(tokenTooltip(*samples::switchHead("a <b>&"), 0, 2, address).contains(QStringLiteral("&lt;b&gt;&amp;")));
}

void TestTokenStrip::tooltipOfLargeRoutersIsShort()
{
    auto trace = std::make_shared<core::Trace>(*samples::switchAll("one two three"));
    auto large = std::make_shared<core::SiteRouting>(*trace->sites[2]);
    large->router.experts = 256;
    large->logits.assign(static_cast<std::size_t>(large->tokens) * 256, 0.5F);
    trace->sites[2] = large;
    const QString html = tokenTooltip(*trace, 0, 1, large->address(0));
    QVERIFY(html.count(QStringLiteral("<tr>")) <= 18);
    QVERIFY(html.contains(QStringLiteral("240 experts more")));
}

QTEST_MAIN(TestTokenStrip)
#include "token_strip_test.moc"
