// SPDX-License-Identifier: GPL-3.0-or-later
// AttentionView on its own, and together with RoutingView: what is chosen in one is read in the other.
#include "widgets/attention_view.h"

#include "tests/widgets/fake_tiles.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"
#include "widgets/load_bars.h"
#include "widgets/number_text.h"
#include "widgets/routing_view.h"
#include "widgets/token_table.h"

#include <QComboBox>
#include <QSplitter>
#include <QTest>

#include <memory>

using namespace headscope;
using namespace headscope::widgets;
using By = core::MapRef::By;

namespace {

core::MapAddress layer(int depth)
{
    return {core::Stack::None, depth, core::Block::Self};
}

core::RouterAddress router(int depth, core::Site site, std::optional<int> head)
{
    return {core::Stack::None, depth, core::Block::Self, site, head};
}

struct Stage {
    std::shared_ptr<const core::Trace> trace;
    samples::FakeTiles tiles;
    Selection selection;
    QSplitter window; // both in one window, so that the mouse goes from one to the other
    AttentionView& attention;
    RoutingView& routing;

    explicit Stage(std::shared_ptr<const core::Trace> shown)
        : trace(std::move(shown)), tiles(samples::attentionOf(*trace)), attention(*new AttentionView(&tiles)),
          routing(*new RoutingView)
    {
        window.addWidget(&attention);
        window.addWidget(&routing);
        attention.setSelection(&selection);
        routing.setSelection(&selection);
        attention.setTrace(trace);
        routing.setTrace(trace);
        window.resize(1800, 700);
        window.setSizes({900, 900});
        window.show();
        QApplication::processEvents();
    }
    core::ByteRange span(std::int64_t token) const { return trace->text().tokens[static_cast<std::size_t>(token)].span; }
    QComboBox* box(const QString& name) const
    {
        for (auto* combo : attention.findChildren<QComboBox*>())
            if (combo->accessibleName() == name)
                return combo;
        return nullptr;
    }
    /// The attention view as a window of its own, for a picture.
    QWidget& alone()
    {
        attention.setParent(nullptr);
        m_alone.reset(&attention);
        return attention;
    }
    void choose(const QString& name, int index) const
    {
        box(name)->setCurrentIndex(index);
        Q_EMIT box(name)->activated(index);
    }
    void clickCell(MapCell cell) const
    {
        MapWidget* map = attention.mapWidget();
        QTest::mouseClick(map, Qt::LeftButton, Qt::NoModifier, map->mapGeometry().cellRect(cell).center().toPoint());
    }
    static void pointAt(TokenTable* table, int row, int column)
    {
        QTest::mouseMove(table->viewport(), table->visualRect(table->model()->index(row, column)).center());
    }
    static void clickTable(TokenTable* table, int row, int column)
    {
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier,
                          table->visualRect(table->model()->index(row, column)).center());
    }

private:
    std::unique_ptr<QWidget> m_alone;
};

} // namespace

class AttentionViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void startsWithTheFirstMap();
    void choosersWriteTheSelection();
    void routersBringTheirMap();
    void expertsBringTheirMap();
    void cellsAreRead();
    void mapToTables();
    void tablesToMap();
    void loadBarsToMap();
    void stripToTableAndBars();
    void overviewToMap();
    void hoverBothWays();
    void nothingToShow();
    void pictures();
};

void AttentionViewTest::startsWithTheFirstMap()
{
    Stage stage(samples::switchHead(samples::text()));
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(0), By::Map, 0, 0}));
    QCOMPARE(stage.selection.state().map, stage.attention.shownMap());
    stage.selection.setMap(core::MapRef{layer(1), By::Map, 1, 0});
    QCOMPARE(stage.attention.shownMap(), stage.selection.state().map);
    QCOMPARE(stage.box(QStringLiteral("Layer"))->currentText(), QStringLiteral("layers.1.self"));
    QCOMPARE(stage.box(QStringLiteral("Map"))->currentText(), QStringLiteral("head 1"));
    stage.attention.setTrace(samples::switchHead("more text")); // the choice stays
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 1, 0}));
    stage.selection.setMap(core::MapRef{layer(8), By::Map, 1, 0}); // no such map: what is shown stays
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 1, 0}));
}

void AttentionViewTest::choosersWriteTheSelection()
{
    Stage stage(samples::moa(samples::text()));
    QComboBox* maps = stage.box(QStringLiteral("Map"));
    QCOMPARE(maps->itemText(0), QStringLiteral("slot 0"));
    QCOMPARE(maps->itemText(maps->count() - 1), QStringLiteral("expert 5"));
    stage.choose(QStringLiteral("Map"), maps->count() - 1);
    QCOMPARE(stage.selection.state().map, std::optional(core::MapRef{layer(0), By::Expert, 5, 0}));
    stage.choose(QStringLiteral("Layer"), 1);
    QCOMPARE(stage.selection.state().map, std::optional(core::MapRef{layer(1), By::Expert, 5, 0}));
    QCOMPARE(maps->currentText(), QStringLiteral("expert 5"));
}

void AttentionViewTest::routersBringTheirMap()
{
    Stage stage(samples::switchAll(samples::text()));
    stage.selection.setRouter(router(1, core::Site::O, 1));
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 1, 0}));
    QCOMPARE(stage.selection.state().map, stage.attention.shownMap());
    stage.selection.setRouter(core::RouterAddress{core::Stack::None, 0, core::Block::Ffn, core::Site::Mlp, std::nullopt});
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(0), By::Map, 1, 0}));
}

void AttentionViewTest::expertsBringTheirMap()
{
    Stage stage(samples::moa(samples::text()));
    stage.selection.setMap(core::MapRef{layer(0), By::Expert, 1, 0});
    stage.selection.setExpert(4);
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(0), By::Expert, 4, 0}));
}

void AttentionViewTest::cellsAreRead()
{
    Stage stage(samples::switchHead(samples::text()));
    QVERIFY(stage.attention.readingText().contains(QStringLiteral("Point at a cell")));
    stage.clickCell({9, 4});
    const float value = samples::attentionOf(*stage.trace)(*stage.attention.shownMap(), 9, 4);
    QVERIFY2(stage.attention.readingText().contains(exactNumber(value)), qPrintable(stage.attention.readingText()));
    stage.clickCell({4, 9});
    QVERIFY(stage.attention.readingText().contains(QStringLiteral("masked")));
}

void AttentionViewTest::mapToTables()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.clickCell({9, 4});
    QCOMPARE(stage.routing.expertsTable()->selectedRows(), (core::TokenRange{9, 10}));
    QCOMPARE(stage.routing.layersTable()->selectedRows(), (core::TokenRange{9, 10}));
    QCOMPARE(stage.routing.expertsTable()->currentIndex().row(), 9);
}

void AttentionViewTest::tablesToMap()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.clickCell({9, 4});
    Stage::pointAt(stage.routing.expertsTable(), 12, 2); // the mouse leaves the map
    Stage::clickTable(stage.routing.expertsTable(), 12, 2);
    QCOMPARE(stage.attention.mapWidget()->highlights().selectedRows, (AxisRange{12, 13}));
    QCOMPARE(stage.attention.mapWidget()->highlights().selectedColumns, (AxisRange{12, 13}));
    QCOMPARE(stage.attention.mapWidget()->currentCell(), std::optional(MapCell{12, 4}));
    const float value = samples::attentionOf(*stage.trace)(*stage.attention.shownMap(), 12, 4);
    QVERIFY(stage.attention.readingText().contains(exactNumber(value)));
}

void AttentionViewTest::loadBarsToMap()
{
    Stage stage(samples::moa(samples::text()));
    stage.selection.setMap(core::MapRef{layer(0), By::Expert, 0, 0});
    LoadBars* bars = stage.routing.loadBars();
    QWidget* plot = bars->childAt(bars->barRect(3).center());
    QTest::mouseClick(plot, Qt::LeftButton, Qt::NoModifier, plot->mapFrom(bars, bars->barRect(3).center()));
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(0), By::Expert, 3, 0}));
}

void AttentionViewTest::stripToTableAndBars()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.selection.setMap(core::MapRef{layer(1), By::Map, 1, 0});
    MapWidget* map = stage.attention.mapWidget();
    const QRectF row = map->mapGeometry().cellRect({6, 0});
    const QRectF chip = map->mapLayout().rowSlot(0, 2, row.top(), row.height());
    QTest::mouseClick(map, Qt::LeftButton, Qt::NoModifier, chip.center().toPoint());
    const int expert = map->scene().choices.rows.at(6, 0).expert;
    QCOMPARE(stage.routing.title(), QStringLiteral("layers.1.self.o.h1"));
    QCOMPARE(stage.routing.expertsTable()->markedColumn(), RoutingItemModel::columnOf(expert));
    QCOMPARE(stage.routing.expertsTable()->selectedRows(), (core::TokenRange{6, 7}));
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 1, 0}));
}

void AttentionViewTest::overviewToMap()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.routing.setPage(RoutingView::Page::Layers);
    Stage::clickTable(stage.routing.layersTable(), 7, 1);
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 0, 0}));
    QCOMPARE(stage.attention.mapWidget()->highlights().selectedRows, (AxisRange{7, 8}));
}

void AttentionViewTest::hoverBothWays()
{
    Stage stage(samples::switchHead(samples::text()));
    MapWidget* map = stage.attention.mapWidget();
    QTest::mouseMove(map, map->mapGeometry().cellRect({11, 2}).center().toPoint());
    QCOMPARE(stage.routing.expertsTable()->hoveredRows(), (core::TokenRange{11, 12}));
    TokenTable* table = stage.routing.expertsTable();
    Stage::pointAt(table, 3, 1);
    QCOMPARE(map->highlights().hoverRows, (AxisRange{3, 4}));
    QCOMPARE(map->highlights().hoverColumns, (AxisRange{3, 4}));
}

void AttentionViewTest::nothingToShow()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.selection.setMap(core::MapRef{layer(1), By::Map, 1, 0});
    stage.attention.setTrace(samples::switchHead(samples::text(), samples::Maps::Left));
    QCOMPARE(stage.attention.message(), QStringLiteral("This run kept no attention maps."));
    stage.attention.setTrace(samples::switchHead(""));
    QCOMPARE(stage.attention.message(), QStringLiteral("The text has no tokens."));
    stage.attention.setTrace(nullptr);
    QVERIFY(!stage.attention.message().isEmpty());
    stage.attention.setTrace(stage.trace);
    QVERIFY(stage.attention.message().isEmpty());
    QCOMPARE(stage.attention.shownMap(), std::optional(core::MapRef{layer(1), By::Map, 1, 0}));
}

void AttentionViewTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        Stage stage(samples::switchHead("The quick brown fox jumps over the lazy dog and his aunt, who was 90% asleep."));
        stage.attention.mapWidget()->chooseCell({9, 4});
        QWidget& picture = stage.alone();
        samples::pictureOf(picture, QStringLiteral("attention-cell") + suffix, theme, {1000, 700});
        // As in a window of usual size: wide and low.
        Stage low(samples::switchHead(samples::text()));
        low.attention.mapWidget()->chooseCell({27, 17});
        samples::pictureOf(low.alone(), QStringLiteral("attention-low") + suffix, theme, {1000, 460});
        stage.attention.setStale(true);
        samples::pictureOf(picture, QStringLiteral("attention-stale") + suffix, theme, {700, 500});
        Stage moa(samples::moa(samples::text()));
        moa.selection.setMap(core::MapRef{layer(1), By::Expert, 2, 0});
        moa.attention.mapWidget()->chooseCell({27, 3});
        samples::pictureOf(moa.alone(), QStringLiteral("attention-moa") + suffix, theme, {1000, 700});
    }
}

QTEST_MAIN(AttentionViewTest)
#include "attention_view_test.moc"
