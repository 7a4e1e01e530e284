// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cost_view.h"

#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::widgets;

namespace {

/// Dense attention with so many heads.
std::shared_ptr<core::ModelInfo> dense(int heads, std::int64_t segment)
{
    auto info = std::make_shared<core::ModelInfo>();
    info->width = 32;
    info->parameters = 12345;
    info->visibility.segment = segment;
    info->visibility.segmentsBack = 1;
    info->maps.push_back(
        {.address = {}, .maps = heads, .keyHeads = heads, .width = 8, .valueWidth = 8, .relativeHeads = heads});
    return info;
}

} // namespace

class CostViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsWhatIsCounted()
    {
        CostView view;
        const auto a = dense(2, 64);
        const auto b = dense(4, 16);
        view.setModels(a, b);
        QCOMPARE(view.length().tokens, 64); // what A was trained with
        QCOMPARE(view.length().memory, 64);
        QCOMPARE(view.rows(), 8);
        QCOMPARE(view.rowTitle(3), QStringLiteral("attention matrices"));
        QCOMPARE(view.cell(3, 0), QStringLiteral("2"));
        QCOMPARE(view.cell(3, 1), QStringLiteral("4"));
        const double expected = core::modelCost(*a, {.tokens = 64, .memory = 64}).all.multiplyAccumulates;
        QCOMPARE(view.plotted(64).first, expected);
        QCOMPARE(view.plotted(64).second, 2 * expected);
        QVERIFY(view.cell(0, 0).endsWith(QLatin1Char('M')) || view.cell(0, 0).endsWith(QLatin1Char('k')));
    }

    void followsLengthMemoryAndQuantity()
    {
        CostView view;
        const auto a = dense(2, 64);
        view.setModels(a, dense(4, 16));
        view.setLength({.tokens = 100, .memory = 0});
        view.setQuantity(CostView::Quantity::StoredFloats);
        QCOMPARE(view.plotted(100).first, core::modelCost(*a, {.tokens = 100, .memory = 0}).all.storedFloats);
        view.setLength({.tokens = 1, .memory = 3}); // the shortest
        QVERIFY(!std::isnan(view.plotted(1).first));
        QCOMPARE(view.length().memory, 3);
    }

    void isEmptyWithoutModels()
    {
        CostView view;
        view.setModels(nullptr, dense(2, 8));
        QCOMPARE(view.rows(), 0);
        view.setModels(dense(1, 0), dense(2, 0)); // no hyper-parameter says how long
        QCOMPARE(view.rows(), 8);
        view.setModels(nullptr, nullptr);
        QCOMPARE(view.rows(), 0);
        QVERIFY(std::isnan(view.plotted(1).first));
    }
};

QTEST_MAIN(CostViewTest)
#include "cost_view_test.moc"
