// SPDX-License-Identifier: GPL-3.0-or-later
// A strip that paints only what changed looks like one that never showed anything else.
#include "tests/widgets/sample_trace.h"
#include "widgets/token_strip.h"

#include <QScrollBar>
#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

void show(TokenStrip& strip, Selection& selection)
{
    strip.setPalette(Theme::light().palette());
    strip.resize(640, 240);
    strip.setSelection(&selection);
    strip.show();
}

QImage picture(TokenStrip& strip)
{
    return strip.viewport()->grab().toImage();
}

/// The edits of a text, one after the other.
std::vector<std::string> edits()
{
    const std::string text = samples::longText(200);
    const std::size_t middle = text.size() / 2;
    return {text,
            text + " a",
            text + " at",
            text + " at last\nand then",
            text.substr(0, middle) + "x" + text.substr(middle),
            "an " + text,
            text.substr(0, middle),
            text.substr(0, 30),
            {},
            text};
}

} // namespace

class TestTokenStripChanges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void looksAsIfNew_data();
    void looksAsIfNew();
    void sameLinesAreTold();
    void revealScrollsToAByte();
};

void TestTokenStripChanges::looksAsIfNew_data()
{
    QTest::addColumn<bool>("atTheEnd");
    QTest::addColumn<bool>("selected");
    QTest::newRow("at the top") << false << false;
    QTest::newRow("at the end") << true << false;
    QTest::newRow("with a selection") << false << true;
}

void TestTokenStripChanges::looksAsIfNew()
{
    QFETCH(bool, atTheEnd);
    QFETCH(bool, selected);
    Selection selection;
    selection.setRouter(core::RouterAddress::parse("layers.1.self.o.h0"));
    TokenStrip strip;
    show(strip, selection);
    for (const std::string& text : edits()) {
        const auto trace = samples::switchHead(text, samples::Maps::Left);
        if (selected && text.size() > 20)
            selection.setBytes(core::ByteRange{5, 20});
        strip.setTrace(trace);
        if (atTheEnd && !text.empty())
            strip.reveal(text.size() - 1);
        const QImage seen = picture(strip);

        TokenStrip fresh;
        show(fresh, selection);
        fresh.setTrace(trace);
        fresh.verticalScrollBar()->setValue(strip.verticalScrollBar()->value());
        QCOMPARE(seen, picture(fresh));
    }
}

void TestTokenStripChanges::sameLinesAreTold()
{
    const auto contents = [](std::string_view text) {
        const auto trace = samples::switchHead(text, samples::Maps::Left);
        StripContents result;
        result.items = stripItems(trace->text());
        const std::vector<int> widths(result.items.labels.size(), 30);
        StripMetrics metrics;
        result.layout = TokenStripLayout(result.items.items, widths, metrics);
        result.shades = routerShades(*trace->sites.front(), 0);
        return result;
    };
    const std::string text = samples::longText(60);
    const StripContents before = contents(text);
    StripContents after = contents(text);
    const std::size_t lines = before.layout.lines().size();
    QVERIFY(lines > 2);
    for (std::size_t line = 0; line < lines; ++line)
        QVERIFY(sameLine(before, after, line));
    QVERIFY(!sameLine(before, after, lines));
    const std::uint32_t item = before.items.ofToken.back(); // the last token, in the last line
    after.shades.tokens.back().doubtful = !after.shades.tokens.back().doubtful;
    QVERIFY(sameLine(before, after, 0));
    QVERIFY(!sameLine(before, after, before.layout.lineOf(item)));
    after = contents(text);
    after.items.labels[after.items.items[item].label] += QStringLiteral("x");
    QVERIFY(!sameLine(before, after, before.layout.lineOf(item)));
}

void TestTokenStripChanges::revealScrollsToAByte()
{
    Selection selection;
    TokenStrip strip;
    show(strip, selection);
    const std::string text = samples::longText(300);
    strip.setTrace(samples::switchHead(text, samples::Maps::Left));
    QCOMPARE(strip.verticalScrollBar()->value(), 0);
    strip.reveal(text.size() - 1);
    QVERIFY(strip.verticalScrollBar()->value() > 0);
    QVERIFY(strip.viewport()->rect().contains(strip.itemRect(strip.items().ofToken.back())));
    strip.reveal(0);
    QVERIFY(strip.viewport()->rect().contains(strip.itemRect(strip.items().ofToken[1]))); // 0 is the beginning of the text
}

QTEST_MAIN(TestTokenStripChanges)
#include "token_strip_changes_test.moc"
