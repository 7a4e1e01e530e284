// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/routing_item_model.h"

#include "tests/widgets/sample_trace.h"
#include "widgets/cell_roles.h"
#include "widgets/map_choices.h"
#include "widgets/number_text.h"
#include "widgets/overview_item_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

const core::RouterAddress outputs{core::Stack::None, 1, core::Block::Self, core::Site::O, 1};
using Mode = RoutingItemModel::Mode;

void show(RoutingItemModel& model, const std::shared_ptr<const core::Trace>& trace, const core::RouterAddress& router)
{
    const auto site = siteOf(*trace, router);
    model.setSite(trace, site, site ? site->headOf(router) : 0);
}

} // namespace

class RoutingItemModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cellsAreTheDecisions();
    void logitsAreShownOnTheirOwnScale();
    void doubtfulRowsAreMarked();
    void otherTextsKeepTheColumns();
    void withoutLogits();
    void overviewShowsFirstChoices();
};

void RoutingItemModelTest::cellsAreTheDecisions()
{
    RoutingItemModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto trace = samples::switchHead(samples::text());
    show(model, trace, outputs);
    const core::SiteRouting& site = *siteOf(*trace, outputs);
    QCOMPARE(model.rowCount(), int(trace->tokens()));
    QCOMPARE(model.columnCount(), 1 + site.router.experts);
    for (int row = 0; row < model.rowCount(); ++row) {
        int chosen = 0;
        for (int expert = 0; expert < site.router.experts; ++expert) {
            const QModelIndex index = model.index(row, RoutingItemModel::columnOf(expert));
            QCOMPARE(index.data(ExpertRole).toInt(), expert);
            if (!index.data(ChosenRole).toBool()) {
                QVERIFY(index.data().toString().isEmpty() && !index.data(StrengthRole).isValid());
                continue;
            }
            ++chosen;
            int place = 0;
            while (site.experts[site.slot(row, 1, place)] != expert)
                ++place;
            const float gate = site.gates[site.slot(row, 1, place)];
            QCOMPARE(index.data(StrengthRole).toDouble(), double(gate)); // never renormalised
            QCOMPARE(index.data().toString(), fixedNumber(double(gate), 3));
            QVERIFY(index.data(Qt::ToolTipRole).toString().contains(exactNumber(gate)));
        }
        QCOMPARE(chosen, site.router.chosen);
    }
    QCOMPARE(RoutingItemModel::expertOf(RoutingItemModel::MarginColumn), -1);
    QCOMPARE(model.headerData(RoutingItemModel::columnOf(3), Qt::Horizontal).toString(), QStringLiteral("3"));
    QVERIFY(model.headerData(4, Qt::Vertical).toString().contains(QStringLiteral("Lizzy")));
}

void RoutingItemModelTest::logitsAreShownOnTheirOwnScale()
{
    RoutingItemModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto trace = samples::switchHead(samples::text());
    show(model, trace, outputs);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    model.setMode(Mode::Logits);
    QCOMPARE(changes.count(), 1);
    const core::SiteRouting& site = *siteOf(*trace, outputs);
    for (const int expert : {0, 2}) {
        const QModelIndex index = model.index(7, RoutingItemModel::columnOf(expert));
        const float logit = site.logits[site.logit(7, 1, expert)];
        QCOMPARE(index.data().toString(), fixedNumber(double(logit), 2));
        QVERIFY(!index.data(StrengthRole).isValid());
        const double place = index.data(ScaleRole).toDouble();
        QVERIFY(logit < 0 ? place < 0.5 && place >= 0 : place >= 0.5 && place <= 1);
        QVERIFY(index.data(Qt::ToolTipRole).toString().contains(exactNumber(logit)));
    }
}

void RoutingItemModelTest::doubtfulRowsAreMarked()
{
    RoutingItemModel model;
    const auto trace = samples::switchHead(samples::text());
    show(model, trace, outputs);
    int doubtful = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, RoutingItemModel::MarginColumn);
        QCOMPARE(index.data(DoubtRole).toBool(), model.isDoubtful(row));
        QCOMPARE(index.data(Qt::ToolTipRole).toString().contains(QStringLiteral("doubtful")), model.isDoubtful(row));
        doubtful += model.isDoubtful(row) ? 1 : 0;
    }
    QVERIFY(model.isDoubtful(5) && model.isDoubtful(22));
    QVERIFY(doubtful < model.rowCount() / 4);
}

void RoutingItemModelTest::otherTextsKeepTheColumns()
{
    RoutingItemModel model;
    OverviewItemModel overview;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester overviewTester(&overview, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    const core::RouterAddress mlp{core::Stack::None, 0, core::Block::Ffn, core::Site::Mlp, std::nullopt};
    for (const char* text : {"one two three", "one two three four five", "six", "", "seven eight"}) {
        const auto trace = samples::switchAll(text);
        show(model, trace, outputs);
        overview.setRouter(trace, outputs);
        QCOMPARE(model.rowCount(), int(trace->tokens()));
        QCOMPARE(overview.rowCount(), int(trace->tokens()));
    }
    QCOMPARE(resets.count(), 1); // the first: a view keeps its place while one types
    const auto trace = samples::switchAll("one two three");
    show(model, trace, mlp);
    QCOMPARE(model.columnCount(), 1 + 12);
    overview.setRouter(trace, mlp);
    QCOMPARE(overview.columnCount(), 2);
    model.setSite(nullptr, nullptr, 0);
    overview.setRouter(nullptr, std::nullopt);
    QCOMPARE(model.rowCount() + model.columnCount() + overview.rowCount() + overview.columnCount(), 0);
}

void RoutingItemModelTest::withoutLogits()
{
    auto trace = std::make_shared<core::Trace>(*samples::switchHead("one two three"));
    for (auto& site : trace->sites) {
        auto changed = std::make_shared<core::SiteRouting>(*site);
        changed->logits.clear();
        site = changed;
    }
    RoutingItemModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    show(model, trace, outputs);
    model.setMode(Mode::Logits); // gates stay
    int shown = 0;
    for (int expert = 0; expert < 4; ++expert)
        shown += model.index(1, RoutingItemModel::columnOf(expert)).data().toString().isEmpty() ? 0 : 1;
    QCOMPARE(shown, 2);
}

void RoutingItemModelTest::overviewShowsFirstChoices()
{
    OverviewItemModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto trace = samples::switchAll(samples::text());
    model.setRouter(trace, outputs);
    QCOMPARE(model.columnCount(), 2);
    QCOMPARE(model.router(1), outputs);
    QCOMPARE(model.columnOf(outputs), 1);
    QCOMPARE(model.columnOf({core::Stack::None, 1, core::Block::Self, core::Site::V, 1}), -1);
    const core::SiteRouting& site = *siteOf(*trace, outputs);
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, 1);
        QCOMPARE(index.data(ExpertRole).toInt(), site.experts[site.slot(row, 1, 0)]);
        QCOMPARE(index.data().toString(), QString::number(model.topExpert(row, 1)));
        QCOMPARE(index.data(StrengthRole).toDouble(), double(site.gates[site.slot(row, 1, 0)]));
    }
    QVERIFY(model.index(5, 1).data(DoubtRole).toBool());
    const auto moa = samples::moa(samples::text());
    model.setRouter(moa, moa->sites.front()->address(0));
    QCOMPARE(model.columnCount(), 2);
}

QTEST_MAIN(RoutingItemModelTest)
#include "routing_item_model_test.moc"
