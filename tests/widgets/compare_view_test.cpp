// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_comparison.h"
#include "tests/widgets/sample_trace.h"
#include "widgets/compare_strip.h"
#include "widgets/compare_view.h"
#include "widgets/expert_pair_item_model.h"
#include "widgets/oklab.h"
#include "widgets/palette.h"
#include "widgets/router_map.h"
#include "widgets/router_pair_item_model.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace headscope;
using namespace headscope::widgets;

namespace {

constexpr std::string_view words =
    "The old man of the house had written a letter to them all, and she could not believe it was for the children.";

struct Fixture {
    std::shared_ptr<const core::Trace> a;
    std::shared_ptr<const core::Trace> b;
    std::shared_ptr<core::Comparison> comparison;
    Selection selection;
    CompareView view;

    explicit Fixture(std::string_view text = words)
        : Fixture(samples::switchHead(text, samples::Maps::Left), samples::moa(text, samples::Maps::Left))
    {
    }
    Fixture(std::shared_ptr<const core::Trace> traceA, std::shared_ptr<const core::Trace> traceB)
        : a(std::move(traceA)), b(std::move(traceB)), comparison(samples::comparisonOf(a, b))
    {
        view.resize(1000, 700);
        view.setSelection(&selection);
        show();
        view.show();
    }
    void show() { view.setModels({comparison, {a, b}, QStringLiteral("one.pth"), QStringLiteral("two.pth")}); }
    const CompareStripContents& contents() const { return view.strip()->contents(); }
    QString cell(int row, int column) const { return view.routerModel()->index(row, column).data().toString(); }
    std::size_t placeOfUnit(std::size_t unit) const { return contents().layout.placeOf(contents().columns.ofUnit[unit]); }
    QPoint middle(std::size_t place) const { return view.strip()->placeRect(place).center(); }
};

} // namespace

class CompareViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bandsJoinWhatIsAligned();
    void expertsOfBHaveTheNumbersOfA();
    void onlyDifferences();
    void clickAndHoverGoBothWays();
    void keysMove();
    void tints();
    void tablesFollowTheRouter();
    void blankValuesSayWhy();
    void sorting();
    void mapsChoose();
    void unpairedRouterIsSaid();
    void wordsOfTheHeader();
    void buttonsAsk();
    void nothingToCompare();
    void emptyAndLongTexts_data();
    void emptyAndLongTexts();
    void pictures();
};

/// The tokens of A and of B that stand for the same bytes stand above each other, with the band of their width between them.
void CompareViewTest::bandsJoinWhatIsAligned()
{
    const auto a = samples::switchHead(words, samples::Maps::Left);
    Fixture f(a, samples::withLongerTokens(*a));
    QVERIFY(f.b->text().tokens.size() < f.a->text().tokens.size());
    using Part = CompareLayout::Part;
    const CompareStripContents& shown = f.contents();
    QVERIFY(shown.layout.metrics().labelsOfB);
    int joined = 0;
    for (std::size_t unit = 0; unit < f.comparison->units.size(); ++unit) {
        const std::size_t place = f.placeOfUnit(unit);
        const CompareColumn& column = shown.columns.columns[shown.columns.ofUnit[unit]];
        const QRect band = shown.layout.part(place, Part::Band);
        QCOMPARE(shown.layout.itemOfA(column.a.first, Part::ExpertsA).left(), band.left());
        QCOMPARE(shown.layout.itemOfA(column.a.second - 1, Part::ExpertsA).right(), band.right());
        QCOMPARE(shown.layout.itemOfB(column.b.first, Part::ExpertsB).left(), band.left());
        QCOMPARE(shown.layout.itemOfB(column.b.second - 1, Part::ExpertsB).right(), band.right());
        QCOMPARE(shown.layout.itemOfA(column.a.first, Part::ExpertsA).bottom() + 1, band.top());
        QCOMPARE(shown.layout.itemOfB(column.b.first, Part::ExpertsB).top(), band.bottom() + 1);
        joined += column.a.second - column.a.first > 1;
    }
    QVERIFY(joined > 0);
}

void CompareViewTest::expertsOfBHaveTheNumbersOfA()
{
    QCOMPARE(matchedName(3, 7, core::Matching::Coselection), QStringLiteral("3 [7]"));
    QCOMPARE(matchedName(3, 3, core::Matching::Coselection), QStringLiteral("3 [3]"));
    QCOMPARE(matchedName(3, 3, core::Matching::Identity), QStringLiteral("3"));
    QCOMPARE(matchedName(-1, 7, core::Matching::Weights), QStringLiteral("[7]"));
    Fixture f; // A has 4 experts, B has 6: e with 5 - e
    const ShownRouter& b = f.contents().routerB;
    QCOMPARE(QStringList(b.names.begin(), b.names.end()),
             (QStringList{QStringLiteral("[0]"), QStringLiteral("[1]"), QStringLiteral("3 [2]"), QStringLiteral("2 [3]"),
                          QStringLiteral("1 [4]"), QStringLiteral("0 [5]")}));
    QCOMPARE(b.colors, (std::vector<int>{-1, -1, 3, 2, 1, 0}));
    const ShownRouter& a = f.contents().routerA;
    QCOMPARE(a.names.at(3), QStringLiteral("3"));
    const QString tip = f.view.strip()->toolTipOf(f.placeOfUnit(4));
    QVERIFY2(tip.contains(QStringLiteral("one.pth")) && tip.contains(QStringLiteral("two.pth")), qPrintable(tip));
    for (const char* part : {"loss of A", "loss of B", "agreement", "context of B", "with gate"})
        QVERIFY2(tip.contains(QString::fromLatin1(part)), part);
    const int chosen = b.expert(static_cast<std::int64_t>(f.comparison->alignment.units[4].b.first), 0);
    QVERIFY(tip.contains(b.names[static_cast<std::size_t>(chosen)]));
}

void CompareViewTest::onlyDifferences()
{
    Fixture f;
    std::vector<float>& agreement = f.comparison->routers[0].unitAgreement;
    for (std::size_t unit = 0; unit < agreement.size(); ++unit)
        agreement[unit] = unit % 5 < 3 ? 1.0F : 0.5F;
    agreement[4] = std::nanf("");
    f.show();
    const std::size_t all = f.contents().layout.places().size();
    QCOMPARE(all, f.contents().columns.columns.size());
    f.view.setOnlyDifferences(true);
    const auto& layout = f.contents().layout;
    QVERIFY(layout.places().size() < all);
    for (std::size_t unit = 0; unit < agreement.size(); ++unit)
        QCOMPARE(layout.places()[f.placeOfUnit(unit)].leftOut, agreement[unit] == 1.0F);
    QCOMPARE(f.placeOfUnit(5), f.placeOfUnit(7)); // one mark for a run
    QVERIFY(f.view.strip()->toolTipOf(f.placeOfUnit(5)).contains(QStringLiteral("3 places")));
    f.selection.setBytes(f.comparison->units[6].bytes); // what is left out is pointed at by its mark
    QCOMPARE(f.view.strip()->selectedPlaces().first, f.placeOfUnit(6));
    f.view.setOnlyDifferences(false);
    QCOMPARE(f.contents().layout.places().size(), all);
}

void CompareViewTest::clickAndHoverGoBothWays()
{
    Fixture f;
    QWidget* viewport = f.view.strip()->viewport();
    const std::size_t third = f.placeOfUnit(3);
    QTest::mouseMove(viewport, f.middle(third));
    QTRY_VERIFY(f.selection.state().hover.has_value());
    QCOMPARE(*f.selection.state().hover, f.comparison->units[3].bytes);
    QCOMPARE(f.view.strip()->hoveredPlaces(), std::pair(third, third + 1));
    QTest::mouseClick(viewport, Qt::LeftButton, {}, f.middle(third));
    QCOMPARE(*f.selection.state().bytes, f.comparison->units[3].bytes);
    QTest::mouseClick(viewport, Qt::LeftButton, Qt::ShiftModifier, f.middle(f.placeOfUnit(5)));
    QCOMPARE(f.selection.state().bytes->end, f.comparison->units[5].bytes.end);
    QCOMPARE(f.view.strip()->selectedPlaces(), std::pair(third, f.placeOfUnit(5) + 1));
    f.selection.setHover(f.comparison->units[8].bytes);
    QCOMPARE(f.view.strip()->hoveredPlaces().first, f.placeOfUnit(8));
    f.selection.setBytes(f.comparison->units.back().bytes); // is scrolled to
    f.view.resize(500, 300);
    f.selection.setBytes(f.comparison->units.front().bytes);
    f.selection.setBytes(f.comparison->units.back().bytes);
    const QRect rect = f.view.strip()->placeRect(f.view.strip()->selectedPlaces().first);
    QVERIFY(f.view.strip()->viewport()->rect().intersects(rect));
}

void CompareViewTest::keysMove()
{
    Fixture f;
    CompareStrip* strip = f.view.strip();
    strip->setFocus();
    f.selection.setBytes(f.comparison->units[0].bytes);
    QTest::keyClick(strip, Qt::Key_Right);
    QCOMPARE(*f.selection.state().bytes, f.comparison->units[1].bytes);
    QTest::keyClick(strip, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(f.selection.state().bytes->end, f.comparison->units[2].bytes.end);
    QTest::keyClick(strip, Qt::Key_Down);
    QVERIFY(f.selection.state().bytes->begin > f.comparison->units[2].bytes.end);
    QTest::keyClick(strip, Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(f.selection.state().bytes->end, f.comparison->units.back().bytes.end);
    QTest::keyClick(strip, Qt::Key_Escape);
    QVERIFY(!f.selection.state().bytes);
}

void CompareViewTest::tints()
{
    Fixture f;
    const UnitTints agreement = unitTints(*f.comparison, 0, CompareTint::Agreement);
    QCOMPARE(agreement.values[3], static_cast<double>(f.comparison->routers[0].unitAgreement[3]));
    const UnitTints mean = unitTints(*f.comparison, 0, CompareTint::MeanAgreement);
    QCOMPARE(mean.values[3], f.comparison->units[3].agreement);
    const UnitTints loss = unitTints(*f.comparison, 0, CompareTint::Loss);
    QCOMPARE(loss.values[3], f.comparison->units[3].lossB - f.comparison->units[3].lossA);
    QVERIFY(std::isnan(loss.values[0]));
    QCOMPARE(loss.color(0, Theme::light()).alpha(), 0);
    QCOMPARE(loss.low, -loss.high);
    QCOMPARE(loss.place(0), 0.5); // no difference has the neutral colour
    int beyond = 0;
    for (const double value : loss.values)
        beyond += std::abs(value) > loss.high;
    QVERIFY(beyond <= static_cast<int>(loss.values.size()) / 20 + 1);
    QCOMPARE(loss.clipped, beyond > 0);
    const UnitTints none = unitTints(*f.comparison, 0, CompareTint::Divergence);
    QVERIFY(!none.why.isEmpty());
    QVERIFY(unitTints(*f.comparison, 0, CompareTint::Loss).why.isEmpty());
    // Perceptually ordered: the lightness of the agreement scale rises.
    double before = -1;
    for (const double value : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double lightness = toOklab(scaleColor(agreement.scale, agreement.place(value), Theme::light())).lightness;
        QVERIFY(lightness > before);
        before = lightness;
    }
    f.view.setTint(CompareTint::Loss);
    QCOMPARE(f.contents().tints.values[5], loss.values[5]);
}

void CompareViewTest::tablesFollowTheRouter()
{
    Fixture f;
    QAbstractItemModelTester routers(f.view.routerModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester experts(f.view.expertModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto& pairs = f.comparison->routers;
    QCOMPARE(f.view.routerModel()->rowCount(), static_cast<int>(pairs.size() + f.comparison->onlyA.size()));
    QCOMPARE(f.cell(1, RouterPairItemModel::RouterA), QString::fromStdString(pairs[1].a.toString()));
    QCOMPARE(f.cell(1, RouterPairItemModel::RouterB), QString::fromStdString(pairs[1].b.toString()));
    QCOMPARE(f.cell(1, RouterPairItemModel::Agreement), QString::number(pairs[1].agreement, 'f', 3));
    QCOMPARE(f.cell(1, RouterPairItemModel::NullInterval), QStringLiteral("[0.20, 0.40]"));
    QCOMPARE(f.cell(1, RouterPairItemModel::Matched), QStringLiteral("4/6"));
    QCOMPARE(f.cell(1, RouterPairItemModel::Remark), QStringLiteral("too little text"));
    f.view.routerTable()->setCurrentIndex(f.view.routerModel()->index(1, 0));
    QCOMPARE(*f.view.pair(), std::size_t{1});
    QVERIFY(f.selection.state().router == pairs[1].a);
    QVERIFY(f.view.pairText().contains(QString::fromStdString(pairs[1].a.toString())));
    f.selection.setRouter(pairs[0].a);
    QCOMPARE(*f.view.pair(), std::size_t{0});
    QCOMPARE(f.view.routerTable()->currentIndex().row(), 0);

    QCOMPARE(f.view.expertModel()->rowCount(), 6); // 4 of A and 2 that only B has
    const auto expert = [&](int row, int column) { return f.view.expertModel()->index(row, column).data().toString(); };
    QCOMPARE(expert(1, ExpertPairItemModel::ExpertB), QStringLiteral("1 [4]"));
    QCOMPARE(expert(4, ExpertPairItemModel::ExpertA), QString());
    QCOMPARE(expert(4, ExpertPairItemModel::ExpertB), QStringLiteral("[0]"));
    QCOMPARE(expert(0, ExpertPairItemModel::GateCorrelation), QString()); // not defined
    QCOMPARE(expert(2, ExpertPairItemModel::GateCorrelation), QStringLiteral("0.200"));
    double shares = 0;
    for (int row = 0; row < 4; ++row)
        shares += expert(row, ExpertPairItemModel::ShareA).toDouble();
    QVERIFY(std::abs(shares - 1) < 0.002);
    Q_EMIT f.view.expertTable()->clicked(f.view.expertModel()->index(2, 0));
    QCOMPARE(*f.selection.state().expert, 2);
}

void CompareViewTest::blankValuesSayWhy()
{
    Fixture f;
    f.comparison->routers[0].null = {std::nan(""), std::nan("")};
    f.comparison->routers[0].nullMean = std::nan("");
    f.show();
    QCOMPARE(f.cell(0, RouterPairItemModel::NullMean), QString());
    QCOMPARE(f.cell(0, RouterPairItemModel::NullInterval), QString());
    QCOMPARE(f.cell(0, RouterPairItemModel::GateCorrelation), QString());
    const auto tip = [&](int row, int column) {
        return f.view.routerModel()->index(row, column).data(Qt::ToolTipRole).toString();
    };
    QVERIFY(tip(0, RouterPairItemModel::NullMean).contains(QStringLiteral("Blank")));
    QVERIFY(tip(0, RouterPairItemModel::GateCorrelation).contains(QStringLiteral("ranks")));
    QVERIFY(!tip(1, RouterPairItemModel::NullMean).contains(QStringLiteral("Blank")));
    const int last = f.view.routerModel()->rowCount() - 1; // without a counterpart
    QVERIFY(f.cell(last, RouterPairItemModel::RouterB).contains(QStringLiteral("B has no such layer.")));
    QCOMPARE(f.view.routerTable()->columnSpan(last, RouterPairItemModel::RouterB),
             RouterPairItemModel::Columns - RouterPairItemModel::RouterB);
    QVERIFY(!f.view.pairText().contains(QStringLiteral("null"))); // not drawn, not said
}

void CompareViewTest::sorting()
{
    const auto a = samples::switchHead(words, samples::Maps::Left);
    Fixture f(a, samples::switchAll(words, samples::Maps::Left));
    auto& pairs = f.comparison->routers;
    QVERIFY(pairs.size() >= 4);
    pairs[0].agreement = 0.5;
    pairs[1].agreement = std::nan("");
    pairs[2].agreement = 0.75;
    pairs[3].agreement = 0.25;
    f.show();
    f.view.routerTable()->setCurrentIndex(f.view.routerModel()->index(2, 0));
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        f.view.routerTable()->sortByColumn(RouterPairItemModel::Agreement, order);
        double former = order == Qt::AscendingOrder ? -1 : 2;
        for (int row = 0; row < static_cast<int>(pairs.size()); ++row) {
            const double value = pairs[*f.view.routerModel()->pairOf(row)].agreement;
            if (std::isnan(value)) {
                QCOMPARE(row, static_cast<int>(pairs.size()) - 1);
                continue;
            }
            QVERIFY(order == Qt::AscendingOrder ? value >= former : value <= former);
            former = value;
        }
        QCOMPARE(f.view.routerModel()->pairOf(f.view.routerTable()->currentIndex().row()), std::optional<std::size_t>(2));
        QCOMPARE(*f.view.pair(), std::size_t{2});
    }
    QVERIFY(!f.view.routerModel()->pairOf(static_cast<int>(pairs.size()))); // those of B alone stay below
}

void CompareViewTest::mapsChoose()
{
    Fixture f;
    const auto& pairs = f.comparison->routers;
    RouterMap* both = f.view.mapOfAgreement();
    const std::size_t cell = *both->grid().cellOf(pairs[1].a);
    QTest::mouseClick(both->viewport(), Qt::LeftButton, {}, both->cellRect(cell).center());
    QCOMPARE(*f.view.pair(), std::size_t{1});
    RouterMap* ofB = f.view.mapOfB();
    QCOMPARE(ofB->chosenCell(), ofB->grid().cellOf(pairs[1].b));
    QTest::mouseClick(ofB->viewport(), Qt::LeftButton, {}, ofB->cellRect(*ofB->grid().cellOf(pairs[0].b)).center());
    QCOMPARE(*f.view.pair(), std::size_t{0});
    QVERIFY(f.selection.state().router == pairs[0].a);
    QCOMPARE(f.view.mapOfA()->chosenCell(), f.view.mapOfA()->grid().cellOf(pairs[0].a));
    QCOMPARE(ofB->lowEnd(), f.view.mapOfA()->lowEnd()); // the same colour is the same entropy
    const QColor more = both->cellColor(*both->grid().cellOf(pairs[0].a));
    QCOMPARE(more, scaleColor(ColorScale::Sequential, pairs[0].agreement, themeOf(both->palette())));
    QCOMPARE(both->cellColor(*both->grid().cellOf(f.comparison->onlyA.front().address)), themeOf(both->palette()).masked);
}

void CompareViewTest::unpairedRouterIsSaid()
{
    Fixture f;
    f.selection.setRouter(f.comparison->onlyA.front().address);
    QVERIFY(f.view.pairText().contains(QStringLiteral("B has no such layer.")));
    QCOMPARE(*f.view.pair(), std::size_t{0}); // another one of its layer
    QVERIFY(f.selection.state().router == f.comparison->onlyA.front().address);
    f.selection.setRouter(f.comparison->routers[1].a);
    QCOMPARE(*f.view.pair(), std::size_t{1});
    QVERIFY(!f.view.pairText().contains(QStringLiteral("B has no such layer.")));
}

void CompareViewTest::wordsOfTheHeader()
{
    Fixture f;
    QVERIFY(f.view.title().contains(QStringLiteral("one.pth")));
    const QString words = f.view.summary();
    QVERIFY2(words.contains(QString::number(f.comparison->agreement, 'f', 3)), qPrintable(words));
    for (const char* part : {"chance 0.250", "null 0.300", "co-selection", "A 1.750", "B 1.500", "Too little text"})
        QVERIFY2(words.contains(QString::fromLatin1(part)), qPrintable(words));
    QVERIFY(words.contains(QStringLiteral("−0.250 [−0.300, −0.200]")));
    f.comparison->loss = {0, std::nan(""), std::nan(""), {}};
    f.show();
    QVERIFY(!f.view.summary().contains(QStringLiteral("per byte")));
}

void CompareViewTest::buttonsAsk()
{
    Fixture f;
    const auto button = [&](const QString& text) -> QPushButton* {
        for (QPushButton* each : f.view.findChildren<QPushButton*>())
            if (each->text().remove(u'&').startsWith(text))
                return each;
        return nullptr;
    };
    QSignalSpy swapped(&f.view, &CompareView::swapAsked), exported(&f.view, &CompareView::exportAsked),
        opened(&f.view, &CompareView::openSecondAsked), matched(&f.view, &CompareView::matchingChosen),
        reported(&f.view, &CompareView::reportAsked);
    button(QStringLiteral("Swap"))->click();
    button(QStringLiteral("Open B"))->click();
    QCOMPARE(swapped.count() + opened.count(), 2);
    const QList<QAction*> exports = button(QStringLiteral("Export"))->menu()->actions();
    exports.at(2)->trigger();
    QVERIFY(exported.at(0).at(0).value<core::ComparisonTable>() == core::ComparisonTable::Experts);
    exports.last()->trigger();
    QCOMPARE(reported.count(), 1);
    const QList<QAction*> ways = button(QStringLiteral("Matching"))->menu()->actions();
    QCOMPARE(ways.size(), 4);
    ways.at(3)->trigger();
    QCOMPARE(matched.count(), 1);
    QVERIFY(f.view.matching() == core::Matching::Weights);
    ways.at(0)->trigger();
    QVERIFY(!f.view.matching());
}

void CompareViewTest::nothingToCompare()
{
    Fixture f;
    QCOMPARE(f.view.message(), QString());
    f.view.setModels({});
    f.view.setMessage(QStringLiteral("Put a checkpoint into B."), true);
    QCOMPARE(f.view.message(), QStringLiteral("Put a checkpoint into B."));
    QCOMPARE(f.view.routerModel()->rowCount(), 0);
    QCOMPARE(f.view.expertModel()->rowCount(), 0);
    f.selection.setRouter(f.comparison->routers[0].a); // nothing to follow
    QVERIFY(!f.view.pair());
    f.show();
    QCOMPARE(f.view.message(), QString());
    f.a = samples::dense(words, samples::Maps::Left); // no routers at all
    f.comparison = samples::comparisonOf(f.a, f.b);
    f.show();
    QVERIFY(!f.view.pair());
    QVERIFY(f.view.summary().contains(QStringLiteral("No router of A has a counterpart")));
    f.view.grab();
}

void CompareViewTest::emptyAndLongTexts_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("emoji, right to left") << QByteArray::fromStdString(samples::text());
    QTest::newRow("2000 tokens") << QByteArray::fromStdString(samples::longText(2000));
    QTest::newRow("one long word") << QByteArray(4000, 'x');
}

void CompareViewTest::emptyAndLongTexts()
{
    QFETCH(QByteArray, text);
    const auto a = samples::switchHead(text.toStdString(), samples::Maps::Left);
    Fixture f(a, samples::withLongerTokens(*a));
    for (const QSize size : {QSize(1000, 700), QSize(320, 300)}) {
        f.view.resize(size);
        f.view.grab();
        for (std::size_t place = 0; place < f.contents().layout.places().size(); ++place)
            QVERIFY(f.contents().layout.rect(place).right() <= f.view.strip()->viewport()->width());
    }
    if (!f.comparison->units.empty()) {
        f.selection.setBytes(f.comparison->units.back().bytes);
        QVERIFY(f.view.strip()->selectedPlaces().first < f.view.strip()->selectedPlaces().second);
    }
}

void CompareViewTest::pictures()
{
    Fixture f;
    f.selection.setBytes(f.comparison->units[3].bytes);
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString kind = theme.kind == Theme::Kind::Light ? QStringLiteral("light") : QStringLiteral("dark");
        const QImage image = samples::pictureOf(f.view, QStringLiteral("compare-") + kind, theme, {1000, 640});
        QVERIFY(samples::inkIn(image, image.rect(), theme.base) > 20000);
        const QRect strip(f.view.strip()->mapTo(&f.view, QPoint()), f.view.strip()->size());
        QVERIFY(samples::inkIn(image, strip, theme.base) > 4000);
    }
    const auto a = samples::switchHead(samples::text(), samples::Maps::Left);
    Fixture other(a, samples::withLongerTokens(*a));
    other.view.setTint(CompareTint::Loss);
    other.view.setPage(CompareView::Page::Experts);
    samples::pictureOf(other.view, QStringLiteral("compare-tokenizers"), Theme::light(), {1000, 640});
}

QTEST_MAIN(CompareViewTest)
#include "compare_view_test.moc"
