// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_comparison.h"
#include "tests/widgets/sample_trace.h"
#include "widgets/compare_columns.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

constexpr std::string_view words =
    "The old man of the house had written a letter to them all, and she could not believe it.";

} // namespace

class CompareColumnsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsHoldEveryTokenOnce_data();
    void columnsHoldEveryTokenOnce();
};

void CompareColumnsTest::columnsHoldEveryTokenOnce_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("longer");
    for (const bool longer : {false, true}) {
        const QByteArray kind = longer ? "two tokenizers, " : "one tokenizer, ";
        QTest::newRow(kind + "words") << QByteArray(words.data(), words.size()) << longer;
        QTest::newRow(kind + "emoji, right to left, lines") << QByteArray::fromStdString(samples::text()) << longer;
        QTest::newRow(kind + "nothing") << QByteArray() << longer;
    }
}

void CompareColumnsTest::columnsHoldEveryTokenOnce()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, longer);
    const auto a = samples::switchHead(text.toStdString(), samples::Maps::Left);
    const auto b = longer ? samples::withLongerTokens(*a) : samples::moa(text.toStdString(), samples::Maps::Left);
    const auto comparison = samples::comparisonOf(a, b);
    const CompareColumns columns = compareColumns(a->text(), b->text(), comparison->alignment);
    std::uint32_t nextA = 0, nextB = 0;
    std::size_t units = 0;
    for (const CompareColumn& column : columns.columns) {
        QCOMPARE(column.a.first, nextA);
        QCOMPARE(column.b.first, nextB);
        QVERIFY(column.a.second > column.a.first || column.b.second > column.b.first);
        nextA = column.a.second;
        nextB = column.b.second;
        if (column.unit)
            QCOMPARE(*column.unit, units++);
    }
    QCOMPARE(nextA, columns.a.items.size());
    QCOMPARE(nextB, columns.b.items.size());
    QCOMPARE(units, comparison->alignment.units.size());
    for (std::size_t unit = 0; unit < units; ++unit)
        QCOMPARE(columns.columns[columns.ofUnit[unit]].bytes, comparison->alignment.units[unit].bytes);

    // Laid out, places do not overlap and stay inside; the items of a place fill it exactly.
    const std::vector<int> widthsA(columns.a.items.size(), 37), widthsB(columns.b.items.size(), 52);
    CompareMetrics metrics;
    metrics.width = 300;
    const CompareLayout layout(columns, widthsA, widthsB, {}, metrics);
    for (std::size_t place = 0; place < layout.places().size(); ++place) {
        const QRect rect = layout.rect(place);
        QVERIFY(rect.right() < metrics.width);
        if (place > 0 && layout.lineOf(place) == layout.lineOf(place - 1))
            QVERIFY(rect.left() > layout.rect(place - 1).right());
        const CompareColumn& column = columns.columns[layout.places()[place].first];
        int width = 0;
        for (std::uint32_t item = column.b.first; item < column.b.second; ++item)
            width += layout.itemOfB(item, CompareLayout::Part::ExpertsB).width();
        if (column.b.first < column.b.second)
            QCOMPARE(width, rect.width());
    }
}

QTEST_GUILESS_MAIN(CompareColumnsTest)
#include "compare_columns_test.moc"
