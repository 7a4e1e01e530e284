// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"
#include "widgets/token_strip_layout.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

StripMetrics metrics(int width)
{
    return {width, 8, 20, 4, 6, 10, 14};
}

/// `count` items of label width 30 (so 40 wide), all with label 0.
std::vector<StripItem> plainItems(int count)
{
    std::vector<StripItem> items(static_cast<std::size_t>(count));
    for (std::uint32_t i = 0; i < items.size(); ++i)
        items[i].index = i;
    return items;
}

const std::vector<int> width30 = {30};

} // namespace

class TestTokenStripLayout : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itemsTileTheText();
    void gapsStandWhereTheirBytesAre();
    void lineEndsBreakTheLine_data();
    void lineEndsBreakTheLine();
    void tokensOfAGroupTouch();
    void unknownTokensKeepTheirOwnLabels();
    void flowsLikeAParagraph();
    void tooWideItemsAreCut();
    void nothingHasNoPlace();
    void findsItemsUnderPoints();
    void everyItemIsFoundAtItsCentre();
    void linesOfABand();
    void movesBetweenLines();
    void touchingKnowsGroupsAndGaps();
    void bytesOfItems();
    void isQuickFor32768Tokens();
};

void TestTokenStripLayout::itemsTileTheText()
{
    const auto text = samples::tokenize(samples::text());
    const auto items = stripItems(text);
    QCOMPARE(items.items.size(), text.tokens.size() + text.gaps.size());
    QCOMPARE(items.ofToken.size(), text.tokens.size());
    std::size_t at = 0;
    for (const auto& item : items.items) {
        const auto bytes = StripItems::bytes(text, item);
        QVERIFY(bytes.empty() || bytes.begin == at);
        at = std::max(at, bytes.end);
    }
    QCOMPARE(at, text.text.size());
    for (std::size_t i = 0; i < text.tokens.size(); ++i)
        QCOMPARE(items.items[items.ofToken[i]].index, static_cast<std::uint32_t>(i));
}

void TestTokenStripLayout::gapsStandWhereTheirBytesAre()
{
    const auto text = samples::tokenize("a  b   ");
    const auto items = stripItems(text);
    QStringList labels;
    for (const auto& item : items.items)
        labels.append(items.labels[item.label]);
    QCOMPARE(labels, (QStringList{QStringLiteral("<s>"), QStringLiteral("a"), QStringLiteral("␣"), QStringLiteral("␣b"),
                                  QStringLiteral("␣␣␣")}));
    QCOMPARE(items.items[0].kind, StripItem::Kind::Special);
    QCOMPARE(items.items[2].kind, StripItem::Kind::Gap);
}

void TestTokenStripLayout::lineEndsBreakTheLine_data()
{
    using Break = StripItem::Break;
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("end"); // of the first token's span
    QTest::addColumn<Break>("lineBreak");
    QTest::newRow("none") << QByteArray("ab") << 2 << Break::None;
    QTest::newRow("at the end") << QByteArray("a\nb") << 2 << Break::After;
    QTest::newRow("taken for the space of a word") << QByteArray("\nab") << 3 << Break::Before;
    QTest::newRow("in the middle") << QByteArray("a\nb") << 3 << Break::After;
    QTest::newRow("only line ends") << QByteArray("\n\n") << 2 << Break::After;
    QTest::newRow("CR-LF") << QByteArray("a\r\nb") << 3 << Break::After;
    QTest::newRow("CR of a CR-LF that continues") << QByteArray("a\r\n") << 2 << Break::None;
    QTest::newRow("lone CR") << QByteArray("a\rb") << 2 << Break::After;
}

void TestTokenStripLayout::lineEndsBreakTheLine()
{
    QFETCH(QByteArray, text);
    QFETCH(int, end);
    core::TokenizedText tokens;
    tokens.text = text.toStdString();
    const auto cut = static_cast<std::size_t>(end);
    tokens.tokens.push_back({1, "x", {0, cut}, false, 0});
    if (cut < tokens.text.size())
        tokens.tokens.push_back({2, "y", {cut, tokens.text.size()}, false, 1});
    QTEST(stripItems(tokens).items[0].lineBreak, "lineBreak");
}

void TestTokenStripLayout::tokensOfAGroupTouch()
{
    const auto text = samples::tokenize("a \U0001F600 b");
    const auto items = stripItems(text);
    const std::vector<int> widths(items.labels.size(), 30);
    const TokenStripLayout layout(items.items, widths, metrics(1000));
    int joined = 0;
    for (std::size_t i = 1; i < items.items.size(); ++i) {
        const int distance = layout.rect(i).left() - layout.rect(i - 1).right() - 1;
        QCOMPARE(distance, items.items[i].joined ? 0 : 4);
        joined += items.items[i].joined;
    }
    QCOMPARE(joined, 3); // four byte tokens of one emoji
}

void TestTokenStripLayout::unknownTokensKeepTheirOwnLabels()
{
    core::TokenizedText text;
    text.text = "ab";
    text.tokens = {{0, "a", {0, 1}, false, 0}, {0, "b", {1, 2}, false, 1}, {0, "a", {2, 2}, false, 2}};
    const auto items = stripItems(text);
    QCOMPARE(items.labels.size(), std::size_t(2));
    QCOMPARE(items.items[0].label, items.items[2].label);
    QVERIFY(items.items[0].label != items.items[1].label);
}

void TestTokenStripLayout::flowsLikeAParagraph()
{
    const auto items = plainItems(7);
    const TokenStripLayout layout(items, width30, metrics(8 + 3 * 40 + 2 * 4 + 8)); // room for exactly three
    QCOMPARE(layout.lines().size(), std::size_t(3));
    QCOMPARE(layout.lines()[1], (TokenStripLayout::Line{3, 6, 8 + 26}));
    QCOMPARE(layout.rect(0), QRect(8, 8, 40, 20));
    QCOMPARE(layout.rect(2), QRect(8 + 88, 8, 40, 20));
    QCOMPARE(layout.rect(3), QRect(8, 34, 40, 20));
    QCOMPARE(layout.height(), 8 + 3 * 20 + 2 * 6 + 8);
    const TokenStripLayout narrower(items, width30, metrics(8 + 3 * 40 + 2 * 4 + 7));
    QCOMPARE(narrower.lines().size(), std::size_t(4));
}

void TestTokenStripLayout::tooWideItemsAreCut()
{
    const auto items = plainItems(3);
    const std::vector<int> wide = {500};
    const TokenStripLayout layout(items, wide, metrics(100));
    QCOMPARE(layout.lines().size(), std::size_t(3));
    QCOMPARE(layout.rect(1).width(), 84);
    const TokenStripLayout tiny(items, wide, metrics(3));
    QCOMPARE(tiny.rect(1).width(), 14);
}

void TestTokenStripLayout::nothingHasNoPlace()
{
    const TokenStripLayout layout({}, {}, metrics(100));
    QCOMPARE(layout.height(), 0);
    QVERIFY(!layout.at({10, 10}));
    QVERIFY(!layout.nearest({10, 10}));
    QCOMPARE(layout.linesIn(0, 100), (std::pair<std::size_t, std::size_t>{0, 0}));
}

void TestTokenStripLayout::findsItemsUnderPoints()
{
    const auto items = plainItems(7);
    const TokenStripLayout layout(items, width30, metrics(144));
    QCOMPARE(layout.at({8, 8}), std::optional<std::size_t>(0));
    QCOMPARE(layout.at({47, 27}), std::optional<std::size_t>(0));
    QVERIFY(!layout.at({48, 27})); // between two
    QVERIFY(!layout.at({20, 28})); // between lines
    QVERIFY(!layout.at({2, 10}));
    QCOMPARE(layout.at({9, 35}), std::optional<std::size_t>(3));
    QCOMPARE(layout.nearest({-50, 10}), std::optional<std::size_t>(0));
    QCOMPARE(layout.nearest({900, 10}), std::optional<std::size_t>(2));
    QCOMPARE(layout.nearest({900, 900}), std::optional<std::size_t>(6));
    QCOMPARE(layout.nearest({48, 10}), std::optional<std::size_t>(0));
    QCOMPARE(layout.nearest({51, 10}), std::optional<std::size_t>(1));
}

void TestTokenStripLayout::everyItemIsFoundAtItsCentre()
{
    const auto text = samples::tokenize(samples::longText(500));
    const auto items = stripItems(text);
    std::vector<int> widths;
    for (const auto& label : items.labels)
        widths.push_back(static_cast<int>(label.size()) * 7);
    for (const int width : {60, 300, 900}) {
        const TokenStripLayout layout(items.items, widths, metrics(width));
        for (std::size_t i = 0; i < items.items.size(); ++i) {
            QCOMPARE(layout.at(layout.rect(i).center()), std::optional(i));
            QVERIFY(layout.rect(i).right() <= width);
        }
    }
}

void TestTokenStripLayout::linesOfABand()
{
    const auto items = plainItems(9);
    const TokenStripLayout layout(items, width30, metrics(144)); // lines at 8, 34, 60; each 20 high
    using Pair = std::pair<std::size_t, std::size_t>;
    QCOMPARE(layout.linesIn(0, 8), (Pair{0, 0}));
    QCOMPARE(layout.linesIn(0, 9), (Pair{0, 1}));
    QCOMPARE(layout.linesIn(27, 34), (Pair{0, 1}));
    QCOMPARE(layout.linesIn(28, 35), (Pair{1, 2}));
    QCOMPARE(layout.linesIn(0, 1000), (Pair{0, 3}));
}

void TestTokenStripLayout::movesBetweenLines()
{
    const auto items = plainItems(8); // 3 + 3 + 2
    const TokenStripLayout layout(items, width30, metrics(144));
    QCOMPARE(layout.vertical(1, +1), std::size_t(4));
    QCOMPARE(layout.vertical(4, -1), std::size_t(1));
    QCOMPARE(layout.vertical(5, +1), std::size_t(7)); // the last line is shorter
    QCOMPARE(layout.vertical(1, -1), std::size_t(1));
    QCOMPARE(layout.vertical(7, +1), std::size_t(7));
}

void TestTokenStripLayout::touchingKnowsGroupsAndGaps()
{
    const auto text = samples::tokenize("a  b \U0001F600 c"); // BOS, a, gap, ␣b, ␣, four bytes, ␣c
    const auto items = stripItems(text);
    using Pair = std::pair<std::size_t, std::size_t>;
    QCOMPARE(items.touching(text, {0, 1}), (Pair{1, 2}));
    QCOMPARE(items.touching(text, {1, 2}), (Pair{2, 3})); // the dropped space
    QCOMPARE(items.touching(text, {0, 4}), (Pair{1, 4}));
    QCOMPARE(items.touching(text, {6, 7}), (Pair{5, 9})); // one byte of the emoji
    QCOMPARE(items.touching(text, {100, 200}), (Pair{0, 0}));
}

void TestTokenStripLayout::bytesOfItems()
{
    const auto text = samples::tokenize("a  b \U0001F600 c");
    const auto items = stripItems(text);
    QCOMPARE(items.bytesOf(text, 1, 2), std::optional(core::ByteRange{0, 1}));
    QCOMPARE(items.bytesOf(text, 1, 4), std::optional(core::ByteRange{0, 4}));
    QCOMPARE(items.bytesOf(text, 6, 7), std::optional(core::ByteRange{5, 9})); // one token of the group is all of it
    QVERIFY(!items.bytesOf(text, 0, 1));                                       // BOS has no bytes
    QCOMPARE(items.bytesOf(text, 0, items.items.size()), std::optional(core::ByteRange{0, text.text.size()}));
}

void TestTokenStripLayout::isQuickFor32768Tokens()
{
    const auto text = samples::tokenize(samples::longText(32768));
    const StripItems items = stripItems(text);
    const std::vector<int> widths(items.labels.size(), 40);
    QBENCHMARK { TokenStripLayout(items.items, widths, metrics(900)); }
}

QTEST_APPLESS_MAIN(TestTokenStripLayout)
#include "token_strip_layout_test.moc"
