// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/specialisation_view.h"

#include "widgets/cell_roles.h"
#include "widgets/heat_item_model.h"
#include "widgets/load_bars.h"
#include "widgets/marking_table.h"
#include "widgets/pair_item_model.h"
#include "widgets/top_tokens_item_model.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::widgets;

namespace {

using Tester = QAbstractItemModelTester;
const auto mode = Tester::FailureReportingMode::QtTest;
const core::RouterAddress router{core::Stack::None, 1, core::Block::Self, core::Site::V, 0};

/// 40 positions, one of two experts at each: "▁the" 20 (18, 2), "▁cat" 12 (2, 10), "ing" 8 (0, 8).
std::shared_ptr<const RouterStatistics> handMade(std::int64_t minimum = 1)
{
    auto made = std::make_shared<RouterStatistics>();
    made->router = router;
    made->choice.minimum = minimum;
    core::RouterTable& table = made->table;
    table.router = router.toString();
    table.members = {table.router};
    table.experts = 2;
    table.chosen = 1;
    table.positions = 40;
    table.documents = 3;
    table.rows = std::make_shared<core::RowNames>(core::RowNames{{5, "▁the"}, {7, "▁cat"}, {9, "ing"}});
    table.rowCounts = {20, 12, 8};
    table.selections = {20, 20};
    table.gateMass = {10, 12};
    table.pairs = {{0, 0, 18, 0, 9}, {0, 1, 2, 0, 1}, {1, 0, 2, 0, 1}, {1, 1, 10, 0, 6}, {2, 1, 8, 0, 5}};
    table.tags = {{"", 10, {5, 5}, {1, 1}}, {"news", 30, {15, 15}, {1, 1}}};
    made->pairs = core::pairStatistics(table, made->choice.pairSettings());
    made->summary = core::routerSummary(table);
    made->explained = core::decomposition(table);
    HeatTable heat;
    heat.rows = {"a", "b"};
    heat.columns = {"0", "1"};
    heat.count = {1, 2, 3, 4};
    heat.share = {0.25, 0.5, 0.75, 1};
    heat.lift = {1, 4, std::nan(""), 0};
    made->tags = heat;
    return made;
}

QString cell(const QAbstractItemModel& model, int row, int column)
{
    QString text = model.index(row, column).data().toString();
    return text.remove(QChar(0x2068)).remove(QChar(0x2069));
}

} // namespace

class SpecialisationViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void topTokensStandUnderTheirExpert();
    void theFilterAppliesToBothTables();
    void pairsSort();
    void pairsOfOneExpert();
    void persistentRowsFollowTheSorting();
    void heatIsColouredByLift();
    void emptyModels();
    void theViewSaysWhatItWants();
    void aBrokenPatternLeavesTheFormerOne();
    void aChosenExpertIsShared();
    void theTextAndTheTablesPointAtEachOther();
    void withoutCountsItSaysSo();
};

void SpecialisationViewTest::topTokensStandUnderTheirExpert()
{
    TopTokensItemModel model;
    const Tester tester(&model, mode);
    model.setStatistics(handMade());
    QCOMPARE(model.columnCount(), 2);
    QCOMPARE(model.rowCount(), 3);
    // PMI by hand: log2(18·40/(20·20)) = log2 1.8, log2(8·40/(8·20)) = 1, log2(10·40/(12·20)) = 0.737
    QCOMPARE(cell(model, 0, 0), QStringLiteral("␣the  0.848"));
    QCOMPARE(cell(model, 0, 1), QStringLiteral("ing  1.000"));
    QCOMPARE(cell(model, 1, 1), QStringLiteral("␣cat  0.737"));
    QCOMPARE(model.index(0, 0).data(StrengthRole).toDouble(), 18.0 / 20);
    QVERIFY(!model.index(2, 0).data().isValid()); // expert 0 has two tokens
    QCOMPARE(model.headerData(0, Qt::Horizontal).toString(), QStringLiteral("0 (50.0 %)"));
    model.setOrder(core::PairColumn::Count);
    QCOMPARE(cell(model, 0, 1), QStringLiteral("␣cat  10"));
}

void SpecialisationViewTest::theFilterAppliesToBothTables()
{
    TopTokensItemModel top;
    PairItemModel pairs;
    const Tester testTop(&top, mode);
    const Tester testPairs(&pairs, mode);
    for (const auto& statistics : {handMade(), handMade(10)}) {
        top.setStatistics(statistics);
        pairs.setStatistics(statistics);
        const QRegularExpression filter(QStringLiteral("^␣"));
        top.setFilter(filter);
        pairs.setFilter(filter);
        QCOMPARE(pairs.rowCount(), 4);
        QCOMPARE(top.rowCount(), 2);
        QCOMPARE(cell(top, 0, 1), QStringLiteral("␣cat  0.737"));
        top.setFilter({});
        pairs.setFilter({});
        QCOMPARE(pairs.rowCount(), statistics->choice.minimum == 1 ? 5 : 4); // "ing" occurs 8 times
    }
}

void SpecialisationViewTest::pairsSort()
{
    PairItemModel model;
    const Tester tester(&model, mode);
    model.setStatistics(handMade());
    QCOMPARE(model.columnCount(), int(PairItemModel::columns));
    const int pmi = PairItemModel::columnOf(core::PairColumn::Pmi);
    QCOMPARE(cell(model, 0, pmi), QStringLiteral("1.000")); // highest first
    QCOMPARE(cell(model, 0, PairItemModel::TokenColumn), QStringLiteral("ing"));
    QCOMPARE(cell(model, 0, PairItemModel::IdColumn), QStringLiteral("9"));
    model.sort(PairItemModel::columnOf(core::PairColumn::Count), Qt::AscendingOrder);
    QCOMPARE(cell(model, 4, PairItemModel::columnOf(core::PairColumn::Count)), QStringLiteral("18"));
    model.sort(PairItemModel::TokenColumn, Qt::AscendingOrder);
    QCOMPARE(cell(model, 0, PairItemModel::TokenColumn), QStringLiteral("ing"));
    QCOMPARE(cell(model, 4, PairItemModel::TokenColumn), QStringLiteral("␣the"));
    // A column that is blank everywhere (three documents are too few) keeps every row, and says why.
    const int null = PairItemModel::columnOf(core::PairColumn::NullPmi);
    model.sort(null, Qt::DescendingOrder);
    QCOMPARE(model.rowCount(), 5);
    QCOMPARE(cell(model, 0, null), QStringLiteral("–"));
    QVERIFY(model.index(0, null).data(Qt::ToolTipRole).toString().contains(QStringLiteral("is blank: ")));
}

void SpecialisationViewTest::pairsOfOneExpert()
{
    PairItemModel model;
    const Tester tester(&model, mode);
    model.setStatistics(handMade());
    model.setExpert(0);
    QCOMPARE(model.rowCount(), 2);
    for (int row = 0; row < 2; ++row)
        QCOMPARE(cell(model, row, PairItemModel::ExpertColumn), QStringLiteral("0"));
    model.setExpert(std::nullopt);
    QCOMPARE(model.rowCount(), 5);
}

void SpecialisationViewTest::persistentRowsFollowTheSorting()
{
    PairItemModel model;
    model.setStatistics(handMade());
    const QPersistentModelIndex first(model.index(0, PairItemModel::TokenColumn));
    model.sort(PairItemModel::columnOf(core::PairColumn::Count), Qt::AscendingOrder);
    QVERIFY(first.row() != 0);
    QCOMPARE(cell(model, first.row(), PairItemModel::TokenColumn), QStringLiteral("ing"));
}

void SpecialisationViewTest::heatIsColouredByLift()
{
    HeatItemModel model;
    const Tester tester(&model, mode);
    model.setTable(std::make_shared<HeatTable>(*handMade()->tags));
    QCOMPARE(model.index(0, 0).data(ScaleRole).toDouble(), 0.5); // chance
    QCOMPARE(model.index(0, 1).data(ScaleRole).toDouble(), 1.0); // four times
    QVERIFY(!model.index(1, 0).data(ScaleRole).isValid());
    QCOMPARE(model.index(1, 1).data(ScaleRole).toDouble(), 0.0);
    QCOMPARE(model.headerData(1, Qt::Vertical).toString(), QStringLiteral("b"));
}

void SpecialisationViewTest::emptyModels()
{
    TopTokensItemModel top;
    PairItemModel pairs;
    HeatItemModel heat;
    for (QAbstractItemModel* model : std::initializer_list<QAbstractItemModel*>{&top, &pairs, &heat}) {
        const Tester tester(model, mode);
        QCOMPARE(model->rowCount(), 0);
        model->sort(0);
    }
    pairs.setStatistics(handMade());
    pairs.setStatistics(nullptr);
    QCOMPARE(pairs.rowCount(), 0);
}

void SpecialisationViewTest::theViewSaysWhatItWants()
{
    SpecialisationView view;
    const QSignalSpy changed(&view, &SpecialisationView::choiceChanged);
    view.setMinimum(25);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(view.choice().minimum, 25);
    view.setMinimum(25);
    QCOMPARE(changed.size(), 1);
    QVERIFY(!view.choice().intervals);
    Selection selection;
    view.setSelection(&selection);
    selection.setRouter(router);
    QCOMPARE(changed.size(), 2);
}

void SpecialisationViewTest::aBrokenPatternLeavesTheFormerOne()
{
    SpecialisationView view;
    view.setStatistics(handMade());
    view.setFilter(QStringLiteral("cat"));
    QCOMPARE(view.pairModel()->rowCount(), 2);
    view.setFilter(QStringLiteral("cat("));
    QCOMPARE(view.pairModel()->rowCount(), 2);
    QCOMPARE(view.filter().pattern(), QStringLiteral("cat"));
    view.setFilter({});
    QCOMPARE(view.pairModel()->rowCount(), 5);
}

void SpecialisationViewTest::aChosenExpertIsShared()
{
    SpecialisationView view;
    Selection selection;
    selection.setRouter(router);
    view.setSelection(&selection);
    view.setCounts(std::make_shared<core::Counts>(), QStringLiteral("40 positions"));
    view.setStatistics(handMade());
    view.resize(1000, 500);
    view.show();
    QCOMPARE(view.title(), QString::fromStdString(router.toString()));
    QVERIFY(view.message().isEmpty());
    const QModelIndex index = view.topModel()->index(0, 1);
    QTest::mouseClick(view.topTable()->viewport(), Qt::LeftButton, {}, view.topTable()->visualRect(index).center());
    QCOMPARE(selection.state().expert, std::optional(1));
    view.setPage(SpecialisationView::Page::Pairs);
    view.findChild<QCheckBox*>()->setChecked(true);
    QCOMPARE(view.pairModel()->rowCount(), 3);
    selection.setExpert(0);
    QCOMPARE(view.pairModel()->rowCount(), 2);
    QCOMPARE(view.loadBars()->load().selections.size(), 2u);
}

void SpecialisationViewTest::theTextAndTheTablesPointAtEachOther()
{
    core::TokenizedText text;
    text.text = "x the cat the";
    text.tokens = {{.id = 3, .piece = "x", .span = {0, 1}, .special = false, .group = 0},
                   {.id = 5, .piece = "▁the", .span = {1, 5}, .special = false, .group = 1},
                   {.id = 7, .piece = "▁cat", .span = {5, 9}, .special = false, .group = 2},
                   {.id = 5, .piece = "▁the", .span = {9, 13}, .special = false, .group = 3}};
    SpecialisationView view;
    Selection selection;
    selection.setRouter(router);
    view.setSelection(&selection);
    view.setCounts(std::make_shared<core::Counts>(), {});
    view.setStatistics(handMade());
    auto trace = std::make_shared<core::Trace>();
    trace->streams.emplace_back().text = text;
    view.setTrace(trace);
    view.resize(1000, 500);
    view.show();
    selection.setHover(core::ByteRange{9, 13});
    QCOMPARE(view.topTable()->marked(), std::set<int>{0});
    QCOMPARE(view.pairTable()->marked(), std::set<int>{0});
    selection.setHover(core::ByteRange{0, 1}); // never counted
    QVERIFY(view.topTable()->marked().empty());
    selection.setBytes(core::ByteRange{5, 13}); // stays when the mouse has left
    selection.setHover(std::nullopt);
    QCOMPARE(view.topTable()->marked(), (std::set<int>{0, 1}));

    const auto point = [&](int row, int column) {
        QTest::mouseMove(view.topTable()->viewport(), view.topTable()->visualRect(view.topModel()->index(row, column)).center());
    };
    point(0, 0); // "▁the": where it stands first
    QVERIFY(selection.state().hover == (core::ByteRange{1, 5}));
    point(0, 1); // "ing" does not stand in the text
    QVERIFY(!selection.state().hover);
    point(1, 1); // "▁cat"
    QVERIFY(selection.state().hover == (core::ByteRange{5, 9}));
    QCOMPARE(view.topTable()->marked(), std::set<int>{1});
    view.setTrace(nullptr);
    QVERIFY(view.topTable()->marked().empty());
}

void SpecialisationViewTest::withoutCountsItSaysSo()
{
    SpecialisationView view;
    QVERIFY(view.message().startsWith(QStringLiteral("Nothing has been counted yet")));
    view.setCounts(std::make_shared<core::Counts>(), {});
    view.setStatistics(handMade());
    QVERIFY(view.message().isEmpty());
    view.setProblem(QStringLiteral("These cannot be pooled."));
    QCOMPARE(view.message(), QStringLiteral("These cannot be pooled."));
    QCOMPARE(view.pairModel()->rowCount(), 0);
    view.setCounts(nullptr, {});
    QVERIFY(view.message().startsWith(QStringLiteral("Nothing has been counted yet")));
}

QTEST_MAIN(SpecialisationViewTest)
#include "specialisation_view_test.moc"
