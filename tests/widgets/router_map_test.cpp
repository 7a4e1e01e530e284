// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"
#include "widgets/oklab.h"
#include "widgets/palette.h"
#include "widgets/router_map.h"
#include "widgets/router_words.h"
#include "widgets/token_strip.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

core::RouterAddress router(const char* address)
{
    return *core::RouterAddress::parse(address);
}

struct Bench {
    Selection selection;
    RouterMap map;

    explicit Bench(std::shared_ptr<const core::Trace> trace)
    {
        map.setPalette(Theme::light().palette());
        map.resize(280, 260);
        map.setSelection(&selection);
        map.setTrace(std::move(trace));
        map.show();
        map.setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&map));
    }

    void click(std::size_t cell) { QTest::mouseClick(map.viewport(), Qt::LeftButton, {}, map.cellRect(cell).center()); }
    QString chosen() const
    {
        const auto address = selection.state().router;
        return address ? QString::fromStdString(address->toString()) : QStringLiteral("none");
    }
};

} // namespace

class TestRouterMap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gridHasEveryRouterOnce();
    void gridGroupsSites();
    void gridNumbersRepeatedLayers();
    void repeatsStandApart();
    void gridPassesOverMissingRouters();
    void layoutFindsCells();
    void layoutFitsTheWidthOrScrolls();
    void clickChooses();
    void choosingForgetsTheExpert();
    void keysMove();
    void showsWhatIsChosenElsewhere();
    void coloursByEntropy();
    void coloursTheStrip();
    void takesAnyTrace_data();
    void takesAnyTrace();
    void tooltipHasLoadAndEntropy();
};

void TestRouterMap::gridHasEveryRouterOnce()
{
    const auto trace = samples::switchAll(samples::text());
    const auto grid = routerGrid(trace->sites);
    QCOMPARE(grid.cells.size(), trace->model->routers.size());
    for (const auto& known : trace->model->routers) {
        const auto cell = grid.cellOf(known.address);
        QVERIFY(cell);
        QCOMPARE(grid.cells[*cell].address, known.address);
        QCOMPARE(grid.cellAt(grid.cells[*cell].row, grid.cells[*cell].column), cell);
    }
    QVERIFY(!grid.cellOf(router("layers.7.self.v.h0")));
    QVERIFY(!grid.cellOf(router("layers.0.self.v.h5")));
}

void TestRouterMap::gridGroupsSites()
{
    const auto grid = routerGrid(samples::switchAll(samples::text())->sites);
    QStringList groups;
    for (const auto& group : grid.groups)
        groups.append(
            QStringLiteral("%1 %2 %3").arg(siteWords(group.block, group.site), sideWords(group.side)).arg(group.columns));
    QCOMPARE(groups, (QStringList{QStringLiteral("V source 2"), QStringLiteral("O destination 2"),
                                  QStringLiteral("FFN destination 1")}));
    const auto moa = routerGrid(samples::moa(samples::text())->sites);
    QCOMPARE(moa.columns, 1);
    QCOMPARE(siteWords(moa.groups[0].block, moa.groups[0].site), QStringLiteral("Q + O"));
    QCOMPARE(siteWords(core::Block::Cross, core::Site::V), QStringLiteral("cross V"));
}

void TestRouterMap::gridNumbersRepeatedLayers()
{
    const auto shared = routerGrid(samples::switchAll(samples::text())->sites);
    QCOMPARE(shared.rows[0].repeat, 0);
    QCOMPARE(shared.rows[1].repeat, 0);
    const auto own = routerGrid(samples::switchHead(samples::text())->sites);
    QCOMPARE(own.rows[0].repeat, -1);
    QCOMPARE(own.rows[1].repeat, -1);
}

void TestRouterMap::repeatsStandApart()
{
    const auto starts = [](std::initializer_list<int> repeats) {
        std::vector<RouterRow> rows;
        for (const int repeat : repeats)
            rows.push_back({core::Stack::None, static_cast<int>(rows.size()), repeat});
        QStringList begun;
        const std::vector<bool> first = repeatStarts(rows);
        for (std::size_t row = 0; row < first.size(); ++row)
            if (first[row] && row > 0)
                begun << QString::number(row);
        return begun.join(u' ');
    };
    QCOMPARE(starts({}), QString());
    QCOMPARE(starts({-1, -1, -1}), QString());
    QCOMPARE(starts({0, 0, 0}), QString());
    QCOMPARE(starts({0, 1, 0, 1, 0, 1}), QStringLiteral("2 4"));
    QCOMPARE(starts({0, 0, 1, 1, 2, 2}), QStringLiteral("2 4"));
    QCOMPARE(starts({0, 1, 2, 0, 1, 2}), QStringLiteral("3"));
    QCOMPARE(starts({-1, 0, 0, -1}), QStringLiteral("1 3"));

    RouterGrid grid = routerGrid(samples::switchAll(samples::text())->sites);
    const RouterMapMetrics metrics;
    const int together = RouterMapLayout(grid, metrics).size().height();
    grid.rows[1].repeat = -1;
    QCOMPARE(RouterMapLayout(grid, metrics).size().height(), together + metrics.repeatGap);
}

void TestRouterMap::gridPassesOverMissingRouters()
{
    auto sites = samples::switchAll(samples::text())->sites; // v o mlp, v o mlp
    sites.erase(sites.begin() + 4);                          // no layers.1.self.o
    const auto grid = routerGrid(sites);
    const auto cell = [&](const char* address) { return *grid.cellOf(router(address)); };
    QCOMPARE(grid.neighbour(cell("layers.1.self.v.h1"), 0, +1), cell("layers.1.ffn.mlp"));
    QCOMPARE(grid.neighbour(cell("layers.1.ffn.mlp"), 0, -1), cell("layers.1.self.v.h1"));
    QCOMPARE(grid.neighbour(cell("layers.0.self.o.h0"), +1, 0), cell("layers.0.self.o.h0"));
    QCOMPARE(grid.neighbour(cell("layers.0.self.v.h0"), +1, 0), cell("layers.1.self.v.h0"));
    QCOMPARE(grid.neighbour(cell("layers.0.self.v.h0"), 0, -1), cell("layers.0.self.v.h0"));
}

void TestRouterMap::layoutFindsCells()
{
    const auto grid = routerGrid(samples::switchAll(samples::text())->sites);
    for (const int width : {60, 200, 500}) {
        RouterMapMetrics metrics;
        metrics.width = width;
        const RouterMapLayout layout(grid, metrics);
        for (const auto& cell : grid.cells) {
            const QRect rect = layout.cell(cell.row, cell.column);
            QCOMPARE(layout.at(rect.center()), std::optional(std::pair(cell.row, cell.column)));
            QCOMPARE(layout.at(rect.topLeft()), std::optional(std::pair(cell.row, cell.column)));
            QVERIFY(!layout.at(rect.topLeft() - QPoint(1, 0)));
            QVERIFY(!layout.at(rect.bottomRight() + QPoint(0, 1)));
            QVERIFY(QRect(QPoint(), layout.size()).contains(rect));
        }
        QVERIFY(!layout.at({0, 0}));
    }
}

void TestRouterMap::layoutFitsTheWidthOrScrolls()
{
    const auto grid = routerGrid(samples::switchAll(samples::text())->sites);
    RouterMapMetrics metrics;
    metrics.width = 200;
    QVERIFY(RouterMapLayout(grid, metrics).size().width() <= 200);
    metrics.width = 40;
    QVERIFY(RouterMapLayout(grid, metrics).size().width() > 40);
    QCOMPARE(RouterMapLayout(grid, metrics).cell(0, 0).width(), metrics.leastCell);
    metrics.width = 2000;
    QCOMPARE(RouterMapLayout(grid, metrics).cell(0, 0).width(), metrics.mostCell);
}

void TestRouterMap::clickChooses()
{
    Bench bench(samples::switchHead(samples::text()));
    for (std::size_t cell = 0; cell < bench.map.grid().cells.size(); ++cell) {
        bench.click(cell);
        QCOMPARE(bench.selection.state().router, std::optional(bench.map.grid().cells[cell].address));
        QCOMPARE(bench.map.chosenCell(), std::optional(cell));
    }
}

void TestRouterMap::choosingForgetsTheExpert()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.click(0);
    bench.selection.setExpert(3);
    bench.click(0);
    QCOMPARE(bench.selection.state().expert, std::optional(3));
    bench.click(1);
    QVERIFY(!bench.selection.state().expert);
}

void TestRouterMap::keysMove()
{
    Bench bench(samples::switchHead(samples::text()));
    const auto after = [&](Qt::Key key) {
        QTest::keyClick(&bench.map, key);
        return bench.chosen();
    };
    QCOMPARE(after(Qt::Key_Down), QStringLiteral("layers.0.self.v.h0")); // nothing was chosen: the first
    QCOMPARE(after(Qt::Key_Right), QStringLiteral("layers.0.self.v.h1"));
    QCOMPARE(after(Qt::Key_Right), QStringLiteral("layers.0.self.o.h0"));
    QCOMPARE(after(Qt::Key_Down), QStringLiteral("layers.1.self.o.h0"));
    QCOMPARE(after(Qt::Key_Down), QStringLiteral("layers.1.self.o.h0"));
    QCOMPARE(after(Qt::Key_Left), QStringLiteral("layers.1.self.v.h1"));
    QCOMPARE(after(Qt::Key_Up), QStringLiteral("layers.0.self.v.h1"));
    QCOMPARE(after(Qt::Key_End), QStringLiteral("layers.1.self.o.h1"));
    QCOMPARE(after(Qt::Key_Home), QStringLiteral("layers.0.self.v.h0"));
}

void TestRouterMap::showsWhatIsChosenElsewhere()
{
    Bench bench(samples::switchHead(samples::text()));
    bench.selection.setRouter(router("layers.1.self.v.h1"));
    QCOMPARE(bench.map.grid().cells[*bench.map.chosenCell()].address, router("layers.1.self.v.h1"));
    bench.selection.setRouter(router("layers.1.ffn.mlp"));
    QVERIFY(!bench.map.chosenCell());
    bench.selection.setRouter(router("layers.0.self.o.h1"));
    bench.map.setTrace(samples::moa(samples::text()));
    QVERIFY(!bench.map.chosenCell());
}

void TestRouterMap::coloursByEntropy()
{
    const auto trace = samples::switchHead(samples::text());
    Bench bench(trace);
    const auto dead = *bench.map.grid().cellOf(router("layers.1.self.o.h1"));
    QCOMPARE(bench.map.load(dead).dead, 1);
    for (std::size_t cell = 0; cell < bench.map.grid().cells.size(); ++cell) {
        if (cell != dead)
            QVERIFY(toOklab(bench.map.cellColor(cell)).lightness > toOklab(bench.map.cellColor(dead)).lightness);
        const QRect rect = bench.map.cellRect(cell);
        const QColor seen = bench.map.viewport()->grab().toImage().pixelColor(rect.left() + 3, rect.bottom() - 2);
        QVERIFY(oklabDistance(seen, bench.map.cellColor(cell)) < 0.02);
    }
    bench.map.setTrace(samples::switchHead(""));
    QCOMPARE(bench.map.cellColor(0), Theme::light().masked);
}

void TestRouterMap::coloursTheStrip()
{
    const auto trace = samples::switchHead(samples::text());
    Bench bench(trace);
    TokenStrip strip;
    strip.resize(600, 200);
    strip.setSelection(&bench.selection);
    strip.setTrace(trace);
    for (std::size_t cell = 0; cell < bench.map.grid().cells.size(); ++cell) {
        bench.click(cell);
        const auto& entry = bench.map.grid().cells[cell];
        const auto& site = *trace->sites[entry.site];
        for (std::int64_t token = 0; token < site.tokens; ++token)
            QCOMPARE(static_cast<int>(strip.shades().tokens[static_cast<std::size_t>(token)].expert),
                     site.experts[site.slot(token, entry.head, 0)]);
    }
}

void TestRouterMap::takesAnyTrace_data()
{
    QTest::addColumn<std::shared_ptr<const core::Trace>>("trace");
    QTest::newRow("none") << std::shared_ptr<const core::Trace>();
    QTest::newRow("no tokens") << samples::switchHead("");
    QTest::newRow("dense") << samples::dense(samples::text());
    QTest::newRow("dense without tokens") << samples::dense("");
    QTest::newRow("shared weights") << samples::switchAll(samples::text());
}

void TestRouterMap::takesAnyTrace()
{
    QFETCH(std::shared_ptr<const core::Trace>, trace);
    Bench bench(trace);
    for (const auto key : {Qt::Key_Right, Qt::Key_End, Qt::Key_Down, Qt::Key_Home, Qt::Key_Escape})
        QTest::keyClick(&bench.map, key);
    QTest::mouseClick(bench.map.viewport(), Qt::LeftButton, {}, QPoint(60, 70));
    bench.map.setStale(true);
    for (const int width : {280, 60, 1}) {
        bench.map.resize(width, 200);
        bench.map.grab();
    }
    bench.map.setTrace(nullptr);
    bench.map.grab();
}

void TestRouterMap::tooltipHasLoadAndEntropy()
{
    const auto trace = samples::switchHead(samples::text());
    const auto& site = *trace->site(router("layers.1.self.o"));
    const auto load = core::loadOf(site, 1);
    const QString html = routerTooltip(site, 1, load);
    QVERIFY(html.contains(QStringLiteral("layers.1.self.o.h1")));
    QVERIFY(html.contains(QString::fromStdString(site.router.legend()).toHtmlEscaped()));
    for (const auto count : load.selections)
        QVERIFY(html.contains(QStringLiteral("%1×").arg(count)));
    QVERIFY(html.contains(QLocale::c().toString(load.entropy, 'g', 4)));
    QVERIFY(html.contains(QLocale::c().toString(load.expectedEntropy, 'g', 4)));
    QVERIFY(html.contains(QStringLiteral("never chosen in this text: 1 of 4 (3)")));
}

QTEST_MAIN(TestRouterMap)
#include "router_map_test.moc"
