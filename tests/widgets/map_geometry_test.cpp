// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_geometry.h"

#include <QTest>

#include <set>
#include <tuple>

using namespace headscope;
using namespace headscope::widgets;

namespace {

const QRectF plot(100, 60, 700, 500);

MapGeometry at(std::int64_t size, double cell, QPointF origin)
{
    MapGeometry geometry = MapGeometry::fitted(size, size, plot);
    geometry.cell = std::max(cell, geometry.fittingCell());
    geometry.origin = origin;
    return geometry.panned({0, 0}); // into the borders
}

/// Every visible value must lie in exactly one tile, and every tile must hold a visible value.
void checkCover(const MapGeometry& geometry, std::int64_t step)
{
    const MapRange range = geometry.visible();
    const std::vector<core::TileArea> tiles = geometry.tiles(step);
    std::set<core::TileArea> expected;
    for (std::int64_t row = range.rowBegin; row < range.rowEnd; row += step) {
        for (std::int64_t column = range.columnBegin; column < range.columnEnd; column += 64 * step)
            expected.insert(geometry.tileOf({row, column}, step));
        expected.insert(geometry.tileOf({row, range.columnEnd - 1}, step));
    }
    expected.insert(geometry.tileOf({range.rowEnd - 1, range.columnBegin}, step));
    expected.insert(geometry.tileOf({range.rowEnd - 1, range.columnEnd - 1}, step));
    QCOMPARE(std::set<core::TileArea>(tiles.begin(), tiles.end()), expected);
    QCOMPARE(tiles.size(), expected.size()); // none twice
    for (const core::TileArea& tile : tiles) {
        QCOMPARE(tile.row % (MapGeometry::tileValues * step), 0);
        QCOMPARE(tile.column % (MapGeometry::tileValues * step), 0);
        QVERIFY(tile.row + (tile.rows - 1) * step < geometry.rows);
        QVERIFY(tile.column + (tile.columns - 1) * step < geometry.columns);
        QVERIFY(tile.rows > 0 && tile.rows <= MapGeometry::tileValues);
    }
}

} // namespace

class MapGeometryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fits_data();
    void fits();
    void pixelsAndValuesAgree();
    void zoomKeepsThePointUnderTheCursor_data();
    void zoomKeepsThePointUnderTheCursor();
    void panStopsAtTheBorders();
    void resizing();
    void showingMovesNoMoreThanNeeded();
    void step_data();
    void step();
    void tilesCoverTheViewport_data();
    void tilesCoverTheViewport();
    void maskedTiles();
    void emptyMaps();
};

void MapGeometryTest::fits_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("columns");
    QTest::addColumn<double>("cell");
    QTest::newRow("one value") << qint64(1) << qint64(1) << MapGeometry::largestCell;
    QTest::newRow("square, height decides") << qint64(50) << qint64(50) << 10.0;
    QTest::newRow("wide") << qint64(10) << qint64(70) << 10.0;
    QTest::newRow("tall") << qint64(1000) << qint64(10) << 0.5;
    QTest::newRow("large") << qint64(32768) << qint64(32768) << 500.0 / 32768;
}

void MapGeometryTest::fits()
{
    QFETCH(qint64, rows);
    QFETCH(qint64, columns);
    QFETCH(double, cell);
    const MapGeometry geometry = MapGeometry::fitted(rows, columns, plot);
    QCOMPARE(geometry.cell, cell);
    QVERIFY(geometry.isFitted());
    QCOMPARE(geometry.visible(), (MapRange{0, rows, 0, columns}));
    QVERIFY(plot.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(geometry.content()));
    QCOMPARE(geometry.content().topLeft(), plot.topLeft());
}

void MapGeometryTest::pixelsAndValuesAgree()
{
    const MapGeometry geometry = at(2000, 3.5, {120.25, 77.5});
    for (const MapCell value : {MapCell{78, 121}, MapCell{100, 200}, MapCell{219, 319}}) {
        const QRectF rect = geometry.cellRect(value);
        QCOMPARE(geometry.cellAt(rect.center()), value);
        QCOMPARE(geometry.cellAt(rect.topLeft() + QPointF(1e-6, 1e-6)), value);
        QVERIFY(geometry.cellAt(rect.bottomRight() + QPointF(1e-6, 1e-6)) != value);
        QCOMPARE(geometry.toPixel(geometry.toMap(rect.center())), rect.center());
    }
    QVERIFY(!geometry.cellAt(plot.topLeft() - QPointF(1, 1)));
    const MapGeometry small = MapGeometry::fitted(3, 3, plot);
    QVERIFY(!small.cellAt(small.content().bottomRight() + QPointF(2, -2))); // plot without map
    QCOMPARE(MapGeometry::sampled({13, 7}, 4), (MapCell{12, 4}));
}

void MapGeometryTest::zoomKeepsThePointUnderTheCursor_data()
{
    QTest::addColumn<double>("factor");
    QTest::newRow("in") << 1.5;
    QTest::newRow("far in") << 40.0;
    QTest::newRow("out") << 0.8;
}

void MapGeometryTest::zoomKeepsThePointUnderTheCursor()
{
    QFETCH(double, factor);
    const MapGeometry before = at(4000, 1.25, {1700, 1800});
    const QPointF cursor(430, 333);
    const MapGeometry after = before.zoomed(factor, cursor);
    QVERIFY(after.cell != before.cell);
    QVERIFY(QLineF(after.toMap(cursor), before.toMap(cursor)).length() < 1e-6);
    QVERIFY(after.cell <= MapGeometry::largestCell);
    // All the way out is the fitted map, whatever the cursor.
    QCOMPARE(after.zoomed(1e-9, cursor), MapGeometry::fitted(4000, 4000, plot));
}

void MapGeometryTest::panStopsAtTheBorders()
{
    const MapGeometry geometry = at(1000, 2, {100, 100});
    QCOMPARE(geometry.panned({50, -20}).origin, QPointF(75, 110));
    QCOMPARE(geometry.panned({1e6, 1e6}).origin, QPointF(0, 0));
    QCOMPARE(geometry.panned({-1e6, -1e6}).origin, QPointF(1000 - 350, 1000 - 250));
    const MapGeometry fitted = MapGeometry::fitted(10, 10, plot);
    QCOMPARE(fitted.panned({-30, -30}), fitted);
}

void MapGeometryTest::resizing()
{
    const QRectF larger(100, 60, 900, 800);
    QVERIFY(MapGeometry::fitted(100, 100, plot).withPlot(larger).isFitted());
    const MapGeometry zoomedIn = at(1000, 4, {500, 600}).withPlot(larger);
    QCOMPARE(zoomedIn.cell, 4.0);
    QCOMPARE(zoomedIn.origin, QPointF(500, 600));
    // What was at the border moves so that no gap opens.
    QCOMPARE(at(1000, 4, {825, 875}).withPlot(larger).origin, QPointF(1000 - 225, 1000 - 200));
}

void MapGeometryTest::showingMovesNoMoreThanNeeded()
{
    const MapGeometry geometry = at(1000, 10, {100, 100}); // shows columns 100 … 169, rows 100 … 149
    QCOMPARE(geometry.showing({120, 120}), geometry);
    QCOMPARE(geometry.showing({99, 120}).origin, QPointF(100, 99));
    QCOMPARE(geometry.showing({150, 170}).origin, QPointF(101, 101));
}

void MapGeometryTest::step_data()
{
    QTest::addColumn<double>("cell");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<qint64>("step");
    QTest::newRow("large cells") << 20.0 << 1.0 << qint64(1);
    QTest::newRow("one pixel") << 1.0 << 1.0 << qint64(1);
    QTest::newRow("half a pixel") << 0.5 << 1.0 << qint64(2);
    QTest::newRow("half a pixel, fine screen") << 0.5 << 2.0 << qint64(1);
    QTest::newRow("a third") << 1.0 / 3 << 1.0 << qint64(4);
    QTest::newRow("tiny") << 500.0 / 32768 << 1.0 << qint64(128);
}

void MapGeometryTest::step()
{
    QFETCH(double, cell);
    QFETCH(double, ratio);
    QFETCH(qint64, step);
    MapGeometry geometry = MapGeometry::fitted(32768, 32768, plot);
    geometry.cell = cell;
    QCOMPARE(geometry.step(ratio), step);
}

void MapGeometryTest::tilesCoverTheViewport_data()
{
    QTest::addColumn<qint64>("size");
    QTest::addColumn<double>("cell");
    QTest::addColumn<QPointF>("origin");
    for (const qint64 size : {1, 255, 256, 257, 1000, 32768})
        for (const double cell : {0.0, 0.1, 0.3, 1.0, 1.7, 12.0})
            for (const QPointF origin : {QPointF(0, 0), QPointF(255.9, 256), QPointF(700, 31), QPointF(30000, 29000.5)})
                QTest::addRow("%d values, %g px, at %g %g", int(size), cell, origin.x(), origin.y())
                    << size << cell << origin;
}

void MapGeometryTest::tilesCoverTheViewport()
{
    QFETCH(qint64, size);
    QFETCH(double, cell);
    QFETCH(QPointF, origin);
    const MapGeometry geometry = at(size, cell, origin);
    for (const double ratio : {1.0, 2.0}) {
        const std::int64_t step = geometry.step(ratio);
        checkCover(geometry, step);
        // Each drawn value covers a pixel at least, so that the number of tiles is bounded by the screen, not by the map.
        const auto bound = [ratio](double pixels) {
            return static_cast<std::size_t>(pixels * ratio / MapGeometry::tileValues) + 2;
        };
        QVERIFY(geometry.tiles(step).size() <= bound(plot.width()) * bound(plot.height()));
    }
}

void MapGeometryTest::maskedTiles()
{
    const core::Visibility causal;
    QVERIFY(isMasked(core::TileArea{0, 256, 256, 256, 1}, causal));
    QVERIFY(!isMasked(core::TileArea{0, 0, 256, 256, 1}, causal));
    QVERIFY(!isMasked(core::TileArea{256, 0, 256, 256, 1}, causal));
    QVERIFY(!isMasked(core::TileArea{0, 255, 256, 256, 1}, causal)); // one corner is visible
    const core::Visibility segments{.causal = true, .segment = 100, .segmentsBack = 1};
    QVERIFY(isMasked(core::TileArea{512, 0, 256, 256, 1}, segments));
    QVERIFY(!isMasked(core::TileArea{256, 0, 256, 256, 1}, segments));
    // A segment's last rows do not see its memory's beginning, the first rows of the next segment do.
    const core::Visibility same{.causal = true, .segment = 100, .segmentsBack = 2, .sameLength = true};
    QVERIFY(isMasked(core::TileArea{150, 0, 50, 50, 1}, same));
    QVERIFY(!isMasked(core::TileArea{150, 0, 51, 50, 1}, same));
    const core::Visibility all{.causal = false};
    QVERIFY(!isMasked(core::TileArea{0, 512, 256, 256, 1}, all));

    QVERIFY(isMasked(MapCell{3, 4}, causal) && !isMasked(MapCell{4, 4}, causal));
    QVERIFY(isMasked(MapCell{250, 99}, segments) && !isMasked(MapCell{250, 100}, segments));
}

void MapGeometryTest::emptyMaps()
{
    const MapGeometry none = MapGeometry::fitted(0, 0, plot);
    QVERIFY(none.empty() && none.visible().empty() && none.tiles(1).empty() && !none.cellAt(plot.center()));
    QCOMPARE(none.zoomed(2, plot.center()), none);
    QVERIFY(MapGeometry::fitted(10, 10, QRectF()).tiles(1).empty());
}

QTEST_GUILESS_MAIN(MapGeometryTest)
#include "map_geometry_test.moc"
