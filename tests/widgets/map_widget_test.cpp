// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_widget.h"

#include "tests/widgets/fake_tiles.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"

#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

class MapWidgetTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pictures();
};

void MapWidgetTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        const auto small = samples::switchHead(samples::text());
        samples::FakeTiles tiles(samples::attentionOf(*small));
        tiles.setTrace(small);
        Selection selection;
        MapWidget map(&tiles);
        map.setSelection(&selection);
        map.resize(760, 640);
        map.setMap(small, {{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Map, 1, 0});
        map.chooseCell({7, 3});
        samples::pictureOf(map, QStringLiteral("map-small") + suffix, theme, {760, 640});

        const auto moa = samples::moa(samples::text());
        samples::FakeTiles moaTiles(samples::attentionOf(*moa));
        moaTiles.setTrace(moa);
        MapWidget moaMap(&moaTiles);
        moaMap.setMap(moa, {{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Expert, 2, 0});
        moaMap.setColorScale(MapColors::Scale::Log);
        samples::pictureOf(moaMap, QStringLiteral("map-moa") + suffix, theme, {760, 640});

        const auto huge = samples::hugeTrace(32768);
        samples::FakeTiles hugeTiles(samples::syntheticAttention());
        hugeTiles.setTrace(huge);
        MapWidget hugeMap(&hugeTiles);
        hugeMap.setSelection(&selection);
        hugeMap.setMap(huge, {{core::Stack::None, 0, core::Block::Self}, core::MapRef::By::Map, 0, 0});
        hugeMap.setColorScale(MapColors::Scale::Log);
        hugeMap.resize(1000, 700);
        hugeMap.chooseCell({14000, 6000});
        samples::pictureOf(hugeMap, QStringLiteral("map-huge") + suffix, theme, {1000, 700});
        hugeMap.setMapGeometry(hugeMap.mapGeometry().zoomed(200, hugeMap.mapGeometry().cellRect({14000, 13900}).center()));
        samples::pictureOf(hugeMap, QStringLiteral("map-huge-zoomed") + suffix, theme, {1000, 700});
    }
}

QTEST_MAIN(MapWidgetTest)
#include "map_widget_test.moc"
