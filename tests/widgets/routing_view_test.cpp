// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/routing_view.h"

#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"
#include "widgets/load_bars.h"
#include "widgets/map_choices.h"
#include "widgets/token_table.h"

#include <QElapsedTimer>
#include <QHeaderView>
#include <QTest>

#include <numeric>

using namespace headscope;
using namespace headscope::widgets;
using Page = RoutingView::Page;
using Mode = RoutingItemModel::Mode;

namespace {

core::RouterAddress router(int depth, core::Site site, std::optional<int> head)
{
    return {core::Stack::None, depth, core::Block::Self, site, head};
}

struct Stage {
    std::shared_ptr<const core::Trace> trace;
    Selection selection;
    RoutingView view;

    explicit Stage(std::shared_ptr<const core::Trace> shown) : trace(std::move(shown))
    {
        view.setSelection(&selection);
        view.setTrace(trace);
        view.resize(960, 620);
        view.show();
        QApplication::processEvents();
    }
    core::ByteRange span(int token) const { return trace->text().tokens[static_cast<std::size_t>(token)].span; }
    static void click(TokenTable* table, int row, int column)
    {
        const QRect rect = table->visualRect(table->model()->index(row, column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, rect.center());
    }
};

} // namespace

class RoutingViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void choosesTheFirstRouter();
    void cellsSelectTokenAndExpert();
    void keysMoveTheSelection();
    void selectionIsFollowed();
    void overviewAndTable();
    void loadBarsAndTable();
    void loadIsSaidInWords();
    void longTextsAreQuick();
    void nothingToShow();
    void pictures();
};

void RoutingViewTest::choosesTheFirstRouter()
{
    Stage stage(samples::switchHead(samples::text()));
    QVERIFY(stage.selection.state().router == router(0, core::Site::V, 0));
    QCOMPARE(stage.view.title(), QStringLiteral("layers.0.self.v.h0"));
    stage.selection.setRouter(router(1, core::Site::O, 1));
    stage.view.setTrace(samples::switchHead("another text")); // the choice stays
    QCOMPARE(stage.view.title(), QStringLiteral("layers.1.self.o.h1"));
    stage.view.setTrace(samples::moa("another text")); // it has no such router
    QVERIFY(stage.selection.state().router == router(0, core::Site::QO, std::nullopt));
}

void RoutingViewTest::cellsSelectTokenAndExpert()
{
    Stage stage(samples::switchHead(samples::text()));
    TokenTable* table = stage.view.expertsTable();
    Stage::click(table, 6, RoutingItemModel::columnOf(2));
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(6)));
    QCOMPARE(stage.selection.state().expert, std::optional(2));
    Stage::click(table, 8, RoutingItemModel::MarginColumn); // a token as a whole
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(8)));
    QCOMPARE(stage.selection.state().expert, std::optional(2));
    QTest::mouseClick(table->horizontalHeader()->viewport(), Qt::LeftButton, Qt::NoModifier,
                      {table->columnViewportPosition(RoutingItemModel::columnOf(1)) + 20, 8});
    QCOMPARE(stage.selection.state().expert, std::optional(1));
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(8)));
    QTest::mouseClick(table->verticalHeader()->viewport(), Qt::LeftButton, Qt::NoModifier,
                      {10, table->rowViewportPosition(3) + 5});
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(3)));
}

void RoutingViewTest::keysMoveTheSelection()
{
    Stage stage(samples::switchHead(samples::text()));
    TokenTable* table = stage.view.expertsTable();
    Stage::click(table, 6, RoutingItemModel::columnOf(0));
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(7)));
    QTest::keyClick(table, Qt::Key_Right);
    QCOMPARE(stage.selection.state().expert, std::optional(1));
}

void RoutingViewTest::selectionIsFollowed()
{
    Stage stage(samples::switchHead(samples::text()));
    TokenTable* table = stage.view.expertsTable();
    const int last = static_cast<int>(stage.trace->tokens()) - 1;
    stage.selection.setBytes(stage.span(last));
    QCOMPARE(table->selectedRows(), (core::TokenRange{static_cast<std::size_t>(last), static_cast<std::size_t>(last) + 1}));
    QCOMPARE(table->currentIndex().row(), last);
    QVERIFY(table->viewport()->rect().contains(table->visualRect(table->currentIndex()).center())); // it scrolled there
    stage.selection.setHover(stage.span(last - 2));
    QCOMPARE(table->hoveredRows().first, static_cast<std::size_t>(last) - 2);
    QTest::mouseMove(table->viewport(), table->visualRect(table->model()->index(last - 1, 1)).center());
    QCOMPARE(stage.selection.state().hover, std::optional(stage.span(last - 1)));
    // Four tokens that make one character are selected together.
    std::size_t byte = 0;
    while (stage.trace->text().tokens[byte].piece != "<0xF0>")
        ++byte;
    Stage::click(table, static_cast<int>(byte) + 3, RoutingItemModel::columnOf(0));
    QCOMPARE(table->selectedRows(), (core::TokenRange{byte, byte + 4}));
    stage.selection.setBytes(std::nullopt);
    QVERIFY(table->selectedRows().empty());
}

void RoutingViewTest::overviewAndTable()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.view.setPage(Page::Layers);
    TokenTable* layers = stage.view.layersTable();
    Stage::click(layers, 9, 1);
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(9)));
    QVERIFY(stage.selection.state().router == router(1, core::Site::V, 0));
    QCOMPARE(stage.selection.state().expert, std::optional(stage.view.layersModel()->topExpert(9, 1)));
    QCOMPARE(stage.view.title(), QStringLiteral("layers.1.self.v.h0"));
    QCOMPARE(layers->markedColumn(), 1);
    // In the other table: the same token and expert.
    QCOMPARE(stage.view.expertsTable()->selectedRows().first, std::size_t(9));
    QCOMPARE(stage.view.expertsTable()->markedColumn(), RoutingItemModel::columnOf(*stage.selection.state().expert));
    stage.view.setPage(Page::Experts);
    Stage::click(stage.view.expertsTable(), 4, RoutingItemModel::columnOf(3));
    QCOMPARE(layers->selectedRows().first, std::size_t(4));
}

void RoutingViewTest::loadBarsAndTable()
{
    Stage stage(samples::switchHead(samples::text()));
    LoadBars* bars = stage.view.loadBars();
    QWidget* plot = bars->childAt(bars->barRect(2).center());
    QVERIFY(plot);
    QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier, plot->mapFrom(bars, bars->barRect(2).center()));
    QCOMPARE(stage.selection.state().expert, std::optional(2));
    QCOMPARE(stage.view.expertsTable()->markedColumn(), RoutingItemModel::columnOf(2));
    const auto all = std::accumulate(bars->load().selections.begin(), bars->load().selections.end(), std::int64_t{0});
    QCOMPARE(all, stage.trace->tokens() * 2);
}

void RoutingViewTest::loadIsSaidInWords()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.selection.setRouter(router(1, core::Site::O, 1));
    QVERIFY2(stage.view.loadBars()->summary().contains(QStringLiteral("Never chosen: 3")),
             qPrintable(stage.view.loadBars()->summary()));
    QVERIFY(stage.view.loadBars()->summary().contains(QStringLiteral("47 tokens")));
    stage.selection.setRouter(router(0, core::Site::O, 1));
    QVERIFY(!stage.view.loadBars()->summary().contains(QStringLiteral("Never chosen")));
}

void RoutingViewTest::longTextsAreQuick()
{
    const auto trace = samples::switchHead(samples::longText(30000), samples::Maps::Left);
    Stage stage(samples::switchHead("short"));
    QElapsedTimer timer;
    timer.start();
    stage.view.setTrace(trace);
    QApplication::processEvents();
    stage.selection.setBytes(trace->text().tokens[29000].span);
    QApplication::processEvents();
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
    qInfo("30 000 tokens shown in %lld ms", static_cast<long long>(timer.elapsed()));
}

void RoutingViewTest::nothingToShow()
{
    Stage stage(samples::dense(samples::text()));
    QCOMPARE(stage.view.message(), QStringLiteral("This model has no routers."));
    QVERIFY(!stage.selection.state().router);
    stage.view.setTrace(samples::switchHead(""));
    QCOMPARE(stage.view.message(), QStringLiteral("The text has no tokens."));
    stage.view.setTrace(nullptr);
    QVERIFY(stage.view.message().contains(QStringLiteral("traced")));
    stage.view.setTrace(stage.trace);
    stage.view.setTrace(samples::switchHead(samples::text()));
    QVERIFY(stage.view.message().isEmpty());
}

void RoutingViewTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        const auto take = [&](RoutingView& view, const char* name) {
            const QImage image = samples::pictureOf(view, QString::fromLatin1(name) + suffix, theme, {960, 620});
            QVERIFY(samples::inkIn(image, image.rect(), theme.window) > 1000);
        };
        Stage stage(samples::switchHead(samples::text()));
        stage.selection.setRouter(router(1, core::Site::O, 1));
        stage.selection.setBytes(stage.span(5));
        stage.selection.setExpert(2);
        take(stage.view, "routing-gates");
        stage.view.setMode(Mode::Logits);
        take(stage.view, "routing-logits");
        stage.view.setPage(Page::Layers);
        take(stage.view, "routing-layers");
        stage.view.setPage(Page::Experts);
        stage.view.setMode(Mode::Gates);
        stage.view.setTrace(samples::switchAll(samples::text()));
        stage.selection.setRouter(
            core::RouterAddress{core::Stack::None, 1, core::Block::Ffn, core::Site::Mlp, std::nullopt});
        take(stage.view, "routing-mlp");
        stage.view.setStale(true);
        take(stage.view, "routing-stale");
        stage.view.setStale(false);
        stage.view.setTrace(samples::dense(samples::text()));
        samples::pictureOf(stage.view, QStringLiteral("routing-dense") + suffix, theme, {960, 620});
    }
}

QTEST_MAIN(RoutingViewTest)
#include "routing_view_test.moc"
