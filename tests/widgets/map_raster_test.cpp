// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_raster.h"

#include "tests/widgets/fake_tiles.h"
#include "widgets/map_axes.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace headscope;
using namespace headscope::widgets;

namespace {

const core::MapRef map{};
const Theme theme = Theme::light();

/// A value of its own for each place; row 2 is blank.
float sample(const core::MapRef&, std::int64_t row, std::int64_t column)
{
    if (row == 2)
        return std::nanf("");
    return column > row ? 0.0F : static_cast<float>(row * 10 + column) / 100.0F;
}

struct Drawn {
    MapPicture picture;
    QImage image;

    QRgb at(MapCell cell) const
    {
        const QPointF center =
            (picture.geometry.cellRect(cell).center() - picture.geometry.plot.topLeft()) * picture.pixelRatio;
        return image.pixel(static_cast<int>(center.x()), static_cast<int>(center.y()));
    }
};

Drawn draw(std::int64_t size, const QRectF& plot, double ratio, const core::Visibility& visibility = {})
{
    samples::FakeTiles source(sample);
    MapTiles tiles(&source);
    tiles.setMap(map, visibility);
    Drawn drawn;
    drawn.picture.geometry = MapGeometry::fitted(size, size, plot);
    drawn.picture.pixelRatio = ratio;
    drawn.picture.visibility = visibility;
    drawn.picture.colors = MapColors::make(MapColors::Scale::Linear, 1, theme);
    tiles.want(drawn.picture.geometry.tiles(drawn.picture.geometry.step(ratio)), std::nullopt);
    drawn.image = drawMap(drawn.picture, tiles.drawn(drawn.picture.geometry));
    return drawn;
}

} // namespace

class MapRasterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsRunDownwardsAndColumnsToTheRight_data();
    void rowsRunDownwardsAndColumnsToTheRight();
    void placesWithoutValueHaveColoursOfTheirOwn();
    void sampledRowsStandForTheirNeighbours();
    void missingTilesAreNoValues();
    void scales();
    void ticks();
};

void MapRasterTest::rowsRunDownwardsAndColumnsToTheRight_data()
{
    QTest::addColumn<double>("ratio");
    QTest::addColumn<QRectF>("plot");
    QTest::newRow("1x") << 1.0 << QRectF(30, 20, 120, 120);
    QTest::newRow("2x") << 2.0 << QRectF(30, 20, 120, 120);
    QTest::newRow("odd size") << 1.5 << QRectF(31, 17, 97, 113);
}

void MapRasterTest::rowsRunDownwardsAndColumnsToTheRight()
{
    QFETCH(double, ratio);
    QFETCH(QRectF, plot);
    const Drawn drawn = draw(6, plot, ratio);
    QCOMPARE(drawn.image.devicePixelRatio(), ratio);
    for (std::int64_t row = 0; row < 6; ++row)
        for (std::int64_t column = 0; row != 2 && column <= row; ++column)
            QCOMPARE(drawn.at({row, column}), drawn.picture.colors.at(sample(map, row, column)));
}

void MapRasterTest::placesWithoutValueHaveColoursOfTheirOwn()
{
    const Drawn drawn = draw(6, QRectF(0, 0, 240, 240), 1);
    const MapColors& colors = drawn.picture.colors;
    QCOMPARE(drawn.at({1, 4}), colors.masked);
    QVERIFY(colors.masked != colors.at(0) && colors.blank != colors.at(0) && colors.pending != colors.at(0));
    // A blank row is striped where the query sees keys and plainly masked elsewhere.
    int stripes = 0;
    int ground = 0;
    for (int x = 0; x < 3 * 40; ++x)
        for (int y = 2 * 40; y < 3 * 40; ++y) {
            stripes += drawn.image.pixel(x, y) == colors.blank;
            ground += drawn.image.pixel(x, y) == colors.masked;
        }
    QCOMPARE(stripes + ground, 3 * 40 * 40);
    QVERIFY(stripes > 1000 && ground > 1000);
    QCOMPARE(drawn.at({2, 4}), colors.masked);
    // Without a mask every place has its value.
    QCOMPARE(draw(6, QRectF(0, 0, 240, 240), 1, {.causal = false}).at({1, 4}), colors.at(0));
    // Beside the map.
    QCOMPARE(draw(3, QRectF(0, 0, 400, 300), 1).image.pixel(390, 10), colors.outside);
}

void MapRasterTest::sampledRowsStandForTheirNeighbours()
{
    const Drawn drawn = draw(1024, QRectF(0, 0, 256, 256), 1, {.causal = false});
    QCOMPARE(drawn.picture.geometry.step(1), std::int64_t(4));
    QCOMPARE(drawn.image.pixel(3, 7), drawn.picture.colors.at(sample(map, 28, 12)));
}

void MapRasterTest::missingTilesAreNoValues()
{
    samples::FakeTiles source(sample, samples::FakeTiles::Answer::Later);
    MapTiles tiles(&source);
    tiles.setMap(map, {});
    MapPicture picture;
    picture.geometry = MapGeometry::fitted(6, 6, QRectF(0, 0, 120, 120));
    picture.colors = MapColors::make(MapColors::Scale::Linear, 1, theme);
    tiles.want(picture.geometry.tiles(1), std::nullopt);
    const QImage image = drawMap(picture, tiles.drawn(picture.geometry));
    QCOMPARE(image.pixel(10, 70), picture.colors.pending);
    QCOMPARE(image.pixel(70, 10), picture.colors.masked);
    QCOMPARE(largestVisible(tiles.drawn(picture.geometry), picture.geometry), 0.0F);
}

void MapRasterTest::scales()
{
    const MapColors linear = MapColors::make(MapColors::Scale::Linear, 0.5F, theme);
    QCOMPARE(linear.place(0.25F), 0.5F);
    QCOMPARE(linear.place(0.9F), 1.0F);
    QCOMPARE(linear.at(0.5F), linear.ramp[255]);
    const MapColors log = MapColors::make(MapColors::Scale::Log, 1, theme);
    QCOMPARE(log.place(0.01F), 0.5F);
    QCOMPARE(log.place(0), 0.0F);
    QCOMPARE(log.place(1e-9F), 0.0F);
    for (const MapColors& colors : {linear, log})
        for (float value = 1e-6F; value < 1.2F; value *= 1.01F) {
            const auto at = std::ranges::find(colors.ramp, colors.at(value)) - colors.ramp.begin();
            QVERIFY(std::abs(static_cast<float>(at) - colors.place(value) * 255) <= 1.5F);
        }
    QCOMPARE(log.at(0), log.ramp[0]);
    QCOMPARE(MapColors::make(MapColors::Scale::Linear, 0, theme).high, 1.0F); // nothing at hand
}

void MapRasterTest::ticks()
{
    QCOMPARE(samplingText(1), QStringLiteral("exact values"));
    QCOMPARE(samplingText(2), QStringLiteral("every 2nd row and column, exact values"));
    QVERIFY(samplingText(4).startsWith(QStringLiteral("every 4th ")));
    QVERIFY(samplingText(32).startsWith(QStringLiteral("every 32nd ")));
    QVERIFY(samplingText(512).startsWith(QStringLiteral("every 512th ")));

    const auto values = [](const std::vector<AxisTick>& all) {
        std::vector<double> result;
        for (const AxisTick& tick : all)
            result.push_back(tick.value);
        return result;
    };
    QCOMPARE(values(indexTicks(3, 31, 4)), (std::vector<double>{5, 10, 15, 20, 25, 30}));
    QCOMPARE(values(indexTicks(0, 3, 0.1)), (std::vector<double>{0, 1, 2}));
    QCOMPARE(values(indexTicks(0, 32768, 9000)), (std::vector<double>{0, 10000, 20000, 30000}));
    for (const float high : {1.0F, 0.61F, 0.043F, 3e-5F}) {
        for (const auto scale : {MapColors::Scale::Linear, MapColors::Scale::Log}) {
            const auto all = colorTicks(MapColors::make(scale, high, theme));
            QVERIFY(all.size() >= 3 && all.size() <= 12);
            QCOMPARE(static_cast<float>(all.back().value), high);
            for (std::size_t i = 1; i < all.size(); ++i)
                QVERIFY(all[i].value > all[i - 1].value);
        }
    }
}

QTEST_GUILESS_MAIN(MapRasterTest)
#include "map_raster_test.moc"
