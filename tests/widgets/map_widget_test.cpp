// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_widget.h"

#include "tests/widgets/fake_tiles.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"

#include <QAction>
#include <QPaintEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <ctime>
#include <set>
#include <vector>

using namespace headscope;
using namespace headscope::widgets;
using Answer = samples::FakeTiles::Answer;

namespace {

core::MapRef mapOf(int depth, int head)
{
    return {{core::Stack::None, depth, core::Block::Self}, core::MapRef::By::Map, head, 0};
}

/// A map widget of a trace with everything around it.
struct Stage {
    std::shared_ptr<const core::Trace> trace;
    samples::FakeTiles tiles;
    Selection selection;
    MapWidget map;

    explicit Stage(std::shared_ptr<const core::Trace> shown, Answer answer = Answer::AtOnce, QSize size = {760, 640})
        : trace(std::move(shown)),
          tiles(trace->tokens() > 1000 ? samples::syntheticAttention() : samples::attentionOf(*trace), answer), map(&tiles)
    {
        tiles.setTrace(trace);
        map.setSelection(&selection);
        map.resize(size);
        map.setMap(trace, mapOf(0, 0));
        map.show();
        QApplication::processEvents();
    }
    core::ByteRange span(std::int64_t token) const { return trace->text().tokens[static_cast<std::size_t>(token)].span; }
    QPoint at(MapCell cell) const { return map.mapGeometry().cellRect(cell).center().toPoint(); }
    void hover(MapCell cell) { QTest::mouseMove(&map, at(cell)); }
    void click(MapCell cell) { QTest::mouseClick(&map, Qt::LeftButton, Qt::NoModifier, at(cell)); }
};

/// What of a widget is painted from now on.
class PaintSpy : public QObject
{
public:
    explicit PaintSpy(QWidget* widget) { widget->installEventFilter(this); }
    QRegion take() { return std::exchange(m_region, {}); }

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint)
            m_region += static_cast<QPaintEvent*>(event)->region();
        return false;
    }

private:
    QRegion m_region;
};

} // namespace

class MapWidgetTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void asksForTheVisibleTilesOnly();
    void zoomingForgetsWhatIsNoLongerSeen();
    void tilesOfAnotherTraceAreNotTaken();
    void coarseTilesStandInWhileFineOnesAreComputed();
    void failureIsSaidInTheBadge();
    void clickSelectsTheRowAndRemembersTheColumn();
    void selectionIsFollowed();
    void stripChoosesRouterAndExpert();
    void hoverRepaintsTwoBands();
    void wheelDragAndKeys();
    void colourScale();
    void typingKeepsThePlaceAndThePicture();
    void emptyAndTinyTexts();
    void pictures();
    void paintTime_data();
    void paintTime();
};

void MapWidgetTest::asksForTheVisibleTilesOnly()
{
    Stage stage(samples::hugeTrace(32768), Answer::Later, {1000, 700});
    const MapGeometry geometry = stage.map.mapGeometry();
    std::set<core::TileArea> expected;
    for (const core::TileArea& area : geometry.tiles(stage.map.step()))
        if (!isMasked(area, stage.map.scene().block->visibility))
            expected.insert(area);
    const auto requests = stage.tiles.takeRequests();
    QCOMPARE(std::set<core::TileArea>(requests.begin(), requests.end()), expected);
    QVERIFY2(requests.size() <= 25, qPrintable(QString::number(requests.size())));
    stage.map.setMapGeometry(geometry.zoomed(300, geometry.cellRect({20000, 15000}).center()));
    QVERIFY(stage.tiles.takeRequests().size() <= 25);
    QCOMPARE(stage.map.step(), std::int64_t(1));
}

void MapWidgetTest::zoomingForgetsWhatIsNoLongerSeen()
{
    Stage stage(samples::hugeTrace(32768), Answer::Later, {1000, 700});
    for (int i = 0; i < 60; ++i)
        stage.map.setMapGeometry(stage.map.mapGeometry().zoomed(1.15, stage.map.mapGeometry().plot.center()));
    QVERIFY(stage.tiles.waiting() <= 25);
    stage.tiles.deliver();
    QVERIFY(!stage.map.badge().contains(QStringLiteral("computing")));
}

void MapWidgetTest::tilesOfAnotherTraceAreNotTaken()
{
    Stage stage(samples::switchHead(samples::text()), Answer::Later);
    QVERIFY(stage.map.badge().contains(QStringLiteral("computing")));
    stage.tiles.deliverAs(stage.tiles.generation() - 1);
    QVERIFY(stage.map.badge().contains(QStringLiteral("computing")));
    QVERIFY(!stage.map.reading({9, 4}).attention);
    const auto other = samples::switchHead("Something else entirely");
    stage.tiles.setTrace(other);
    stage.map.setMap(other, mapOf(1, 1));
    stage.tiles.deliver();
    QVERIFY(!stage.map.badge().contains(QStringLiteral("computing")));
    QVERIFY(stage.map.reading({2, 1}).attention);
}

void MapWidgetTest::coarseTilesStandInWhileFineOnesAreComputed()
{
    Stage stage(samples::hugeTrace(4096), Answer::Later, {1000, 700});
    stage.tiles.deliver();
    stage.map.setMapGeometry(stage.map.mapGeometry().zoomed(16, stage.map.mapGeometry().cellRect({3000, 1000}).center()));
    QVERIFY(stage.tiles.waiting() > 0);
    const QImage coarse = samples::pictureOf(stage.map, QStringLiteral("map-standin"), Theme::light(), {1000, 700});
    const QColor pending(MapColors::make(MapColors::Scale::Linear, 1, Theme::light()).pending);
    const QPoint center = stage.map.mapGeometry().plot.center().toPoint();
    QVERIFY(coarse.pixelColor(center) != pending);
    QVERIFY(!stage.map.reading({3001, 1001}).attention); // between the samples nothing is known yet
    stage.tiles.deliver();
    QVERIFY(stage.map.reading({3001, 1001}).attention);
}

void MapWidgetTest::failureIsSaidInTheBadge()
{
    Stage stage(samples::switchHead(samples::text()), Answer::Later);
    stage.tiles.failAll(QStringLiteral("Not enough memory for this map."));
    QVERIFY(stage.map.badge().contains(QStringLiteral("Not enough memory")));
    // The source says so once for each trace; coming back to the map must not look like computing.
    stage.map.setMap(stage.trace, mapOf(0, 1));
    QVERIFY(stage.map.badge().contains(QStringLiteral("computing")));
    stage.map.setMap(stage.trace, mapOf(0, 0));
    QVERIFY(stage.map.badge().contains(QStringLiteral("Not enough memory")));
}

void MapWidgetTest::clickSelectsTheRowAndRemembersTheColumn()
{
    Stage stage(samples::switchHead(samples::text()));
    QSignalSpy readings(&stage.map, &MapWidget::readingChanged);
    stage.click({7, 3});
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(7)));
    QCOMPARE(stage.selection.state().map, std::optional(mapOf(0, 0)));
    QCOMPARE(stage.map.currentCell(), std::optional(MapCell{7, 3}));
    QVERIFY(readings.count() > 0);
    const CellReading reading = stage.map.reading({7, 3});
    QCOMPARE(*reading.attention, samples::attentionOf(*stage.trace)(mapOf(0, 0), 7, 3));
    // Another token, chosen anywhere: the same column is read in its row.
    stage.selection.setBytes(stage.span(11));
    QCOMPARE(stage.map.currentCell(), std::optional(MapCell{11, 3}));
    QVERIFY(stage.map.reading({7, 9}).masked);
}

void MapWidgetTest::selectionIsFollowed()
{
    Stage stage(samples::switchHead(samples::text()));
    stage.selection.setBytes(core::ByteRange{stage.span(4).begin, stage.span(6).end});
    QCOMPARE(stage.map.highlights().selectedRows, (AxisRange{4, 7}));
    QCOMPARE(stage.map.highlights().selectedColumns, (AxisRange{4, 7}));
    stage.selection.setHover(stage.span(2));
    QCOMPARE(stage.map.highlights().hoverRows, (AxisRange{2, 3}));
    stage.hover({9, 5});
    QCOMPARE(stage.selection.state().hover, std::optional(stage.span(9)));
    QCOMPARE(stage.map.highlights().hoverColumns, (AxisRange{5, 6}));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&stage.map, &leave);
    QVERIFY(!stage.selection.state().hover && stage.map.highlights().hoverRows.empty());
    stage.selection.setStream(3); // a text that this map does not show
    QVERIFY(stage.map.highlights().selectedRows.empty());
}

void MapWidgetTest::stripChoosesRouterAndExpert()
{
    Stage stage(samples::switchHead(samples::text()));
    const MapChoices& choices = stage.map.scene().choices;
    const QRectF row = stage.map.mapGeometry().cellRect({6, 0});
    const QRectF chip = stage.map.mapLayout().rowSlot(1, 2, row.top(), row.height());
    QTest::mouseClick(&stage.map, Qt::LeftButton, Qt::NoModifier, chip.center().toPoint());
    QCOMPARE(stage.selection.state().router, std::optional(choices.rows.address()));
    QCOMPARE(stage.selection.state().expert, std::optional(choices.rows.at(6, 1).expert));
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(6)));
    const QRectF column = stage.map.mapGeometry().cellRect({0, 8});
    const QRectF source = stage.map.mapLayout().columnSlot(0, 2, column.left(), column.width());
    QTest::mouseClick(&stage.map, Qt::LeftButton, Qt::NoModifier, source.center().toPoint());
    QCOMPARE(stage.selection.state().router, std::optional(choices.columns.address()));
    QCOMPARE(stage.selection.state().expert, std::optional(choices.columns.at(8, 0).expert));
}

void MapWidgetTest::hoverRepaintsTwoBands()
{
    Stage stage(samples::hugeTrace(4096), Answer::AtOnce, {1000, 700});
    PaintSpy spy(&stage.map);
    stage.hover({2000, 1000});
    QApplication::processEvents();
    spy.take();
    stage.hover({2800, 900});
    QApplication::processEvents();
    qint64 area = 0;
    for (const QRect& rect : spy.take())
        area += qint64(rect.width()) * rect.height();
    QVERIFY(area > 0);
    QVERIFY2(area < 1000 * 700 / 6, qPrintable(QString::number(area)));
}

void MapWidgetTest::wheelDragAndKeys()
{
    Stage stage(samples::hugeTrace(4096), Answer::AtOnce, {1000, 700});
    const MapGeometry fitted = stage.map.mapGeometry();
    const QPointF cursor = fitted.cellRect({2000, 1800}).center().toPoint();
    const QPointF under = fitted.toMap(cursor);
    QWheelEvent wheel(cursor, stage.map.mapToGlobal(cursor), {}, {0, 360}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&stage.map, &wheel);
    QVERIFY(stage.map.mapGeometry().cell > 1.9 * fitted.cell);
    QVERIFY(QLineF(stage.map.mapGeometry().toMap(cursor), under).length() < 1e-6);

    const QPointF before = stage.map.mapGeometry().origin;
    QTest::mousePress(&stage.map, Qt::LeftButton, Qt::NoModifier, cursor.toPoint());
    QMouseEvent move(QEvent::MouseMove, cursor - QPointF(40, 60), stage.map.mapToGlobal(cursor - QPointF(40, 60)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&stage.map, &move);
    QTest::mouseRelease(&stage.map, Qt::LeftButton, Qt::NoModifier, (cursor - QPointF(40, 60)).toPoint());
    QVERIFY(!stage.selection.state().bytes); // a drag is no click
    QVERIFY(stage.map.mapGeometry().origin.y() > before.y() && stage.map.mapGeometry().origin.x() > before.x());

    const QPointF dragged = stage.map.mapGeometry().origin;
    QTest::keyClick(&stage.map, Qt::Key_Up);
    QVERIFY(stage.map.mapGeometry().origin.y() < dragged.y());
    QTest::keyClick(&stage.map, Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(stage.map.currentCell());
    const MapCell first = *stage.map.currentCell();
    QTest::keyClick(&stage.map, Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(*stage.map.currentCell(), (MapCell{first.row + stage.map.step(), first.column}));
    QCOMPARE(stage.selection.state().bytes, std::optional(stage.span(first.row + stage.map.step())));
    QTest::mouseDClick(&stage.map, Qt::LeftButton, Qt::NoModifier, cursor.toPoint());
    QCOMPARE(stage.map.mapGeometry(), fitted);
}

void MapWidgetTest::colourScale()
{
    Stage stage(samples::switchHead(samples::text()));
    QVERIFY(stage.map.badge().contains(QStringLiteral("largest value shown")));
    stage.map.setColorRange(MapWidget::ColorRange::Unit);
    QVERIFY(stage.map.badge().contains(QStringLiteral("0 to 1")));
    int checkable = 0;
    for (QAction* action : stage.map.actions())
        if (action->isCheckable()) {
            ++checkable;
            const QImage before = stage.map.grab().toImage();
            action->trigger();
            QVERIFY(stage.map.grab().toImage() != before);
        }
    QCOMPARE(checkable, 2);
}

void MapWidgetTest::typingKeepsThePlaceAndThePicture()
{
    Stage stage(samples::switchHead(samples::longText(200)), Answer::Later);
    stage.tiles.deliver();
    stage.map.setMapGeometry(stage.map.mapGeometry().zoomed(6, stage.map.mapGeometry().plot.center()));
    stage.tiles.deliver();
    const QPointF origin = stage.map.mapGeometry().origin;
    const QImage before = stage.map.grab().toImage();
    const auto longer = samples::switchHead("Other words first: " + samples::longText(200));
    stage.tiles.setTrace(longer);
    stage.map.setMap(longer, mapOf(0, 0));
    QCOMPARE(stage.map.mapGeometry().origin, origin);
    QCOMPARE(stage.map.grab().toImage(), before); // until the tiles are there
    stage.tiles.deliver();
    QVERIFY(stage.map.grab().toImage() != before);
}

void MapWidgetTest::emptyAndTinyTexts()
{
    Stage stage(samples::switchHead("a"));
    for (const auto& trace : {samples::switchHead(""), samples::switchHead("x"), samples::moa("x"), samples::dense("x y")}) {
        stage.tiles.setTrace(trace);
        stage.map.setMap(trace, mapOf(0, 0));
        QVERIFY(!stage.map.grab().isNull());
        QTest::mouseClick(&stage.map, Qt::LeftButton, Qt::NoModifier, stage.map.rect().center());
        QTest::keyClick(&stage.map, Qt::Key_Down, Qt::ShiftModifier);
    }
    stage.map.setMap(nullptr, mapOf(0, 0));
    QVERIFY(!stage.map.grab().isNull());
    stage.map.resize(40, 30); // no room for a plot
    QVERIFY(!stage.map.grab().isNull());
}

void MapWidgetTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        Stage small(samples::switchHead(samples::text()));
        small.map.chooseCell({7, 3});
        const QImage image = samples::pictureOf(small.map, QStringLiteral("map-small") + suffix, theme, {760, 640});
        const MapLayout& layout = small.map.mapLayout();
        for (const QRectF& part :
             {layout.rowTitle, layout.rowLabels, layout.rowStrip, layout.columnTitle, layout.columnLabels,
              layout.columnStrip, layout.colorBarBeside(small.map.mapGeometry().content()), layout.footer})
            QVERIFY(samples::inkIn(image, part.toAlignedRect() & small.map.rect(), theme.base) > 40);

        Stage huge(samples::hugeTrace(32768), Answer::AtOnce, {1000, 700});
        huge.map.setColorScale(MapColors::Scale::Log);
        huge.map.chooseCell({14016, 6016});
        samples::pictureOf(huge.map, QStringLiteral("map-huge") + suffix, theme, {1000, 700});
        huge.map.setMapGeometry(
            huge.map.mapGeometry().zoomed(200, huge.map.mapGeometry().cellRect({14000, 13900}).center()));
        samples::pictureOf(huge.map, QStringLiteral("map-huge-zoomed") + suffix, theme, {1000, 700});
    }
}

void MapWidgetTest::paintTime_data()
{
    QTest::addColumn<double>("zoom");
    QTest::addColumn<bool>("log");
    QTest::newRow("whole map") << 1.0 << false;
    QTest::newRow("whole map, logarithmic") << 1.0 << true;
    QTest::newRow("a value a pixel") << 60.0 << false;
    QTest::newRow("with labels") << 1000.0 << false;
}

void MapWidgetTest::paintTime()
{
    QFETCH(double, zoom);
    QFETCH(bool, log);
    Stage stage(samples::hugeTrace(32768), Answer::AtOnce, {1000, 700});
    stage.map.setColorScale(log ? MapColors::Scale::Log : MapColors::Scale::Linear);
    stage.map.setMapGeometry(
        stage.map.mapGeometry().zoomed(zoom, stage.map.mapGeometry().cellRect({20000, 19000}).center()));
    std::vector<double> milliseconds; // of the processor, so that a busy machine does not count
    for (int i = 0; i < 7; ++i) {
        stage.map.setColorRange(MapWidget::ColorRange::OnScreen); // all anew
        const std::clock_t start = std::clock();
        stage.map.repaint();
        milliseconds.push_back(1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::ranges::sort(milliseconds);
    qInfo("%.1f ms at 1000 x 700", milliseconds[3]);
    QVERIFY2(milliseconds.front() < 200, "painting a map must not be felt");
}

QTEST_MAIN(MapWidgetTest)
#include "map_widget_test.moc"
