// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_choices.h"

#include "tests/widgets/sample_trace.h"
#include "widgets/map_catalog.h"
#include "widgets/map_scene.h"
#include "widgets/number_text.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace headscope;
using namespace headscope::widgets;
using By = core::MapRef::By;
using Optional = std::optional<core::MapRef>;

namespace {

const core::MapAddress layer1{core::Stack::None, 1, core::Block::Self};

core::RouterAddress router(int depth, core::Site site, std::optional<int> head, core::Block block = core::Block::Self)
{
    return {core::Stack::None, depth, block, site, head};
}

} // namespace

class MapChoicesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bothSidesOfSwitchHead();
    void oneSideOfMoa();
    void pathsMultiplyBothGates();
    void queryAndKeyRoutersAreNotOnThePath();
    void maskedAndBlankCells();
    void cellTextIsExactAndEscaped();
    void mapsOfferedAndFollowed();
    void numbers_data();
    void numbers();
};

void MapChoicesTest::bothSidesOfSwitchHead()
{
    const auto trace = samples::switchHead(samples::text());
    const MapChoices choices = choicesOf(*trace, {layer1, By::Map, 1, 0});
    QCOMPARE(choices.rows.address().toString(), std::string("layers.1.self.o.h1"));
    QCOMPARE(choices.columns.address().toString(), std::string("layers.1.self.v.h1"));
    QVERIFY(!choices.ofOneChoice() && !choices.own(3));
    const auto site = trace->site(router(1, core::Site::O, std::nullopt));
    QCOMPARE(choices.rows.at(5, 1).expert, site->experts[site->slot(5, 1, 1)]);
    QCOMPARE(choices.rows.at(5, 1).gate, site->gates[site->slot(5, 1, 1)]);
    QVERIFY(!choicesOf(*samples::dense(samples::text()), {layer1, By::Map, 1, 0}).rows);
}

void MapChoicesTest::oneSideOfMoa()
{
    const auto trace = samples::moa(samples::text());
    const auto site = trace->site(router(1, core::Site::QO, std::nullopt));
    const MapChoices slot = choicesOf(*trace, {layer1, By::Map, 1, 0});
    QVERIFY(slot.rows && !slot.columns);
    QCOMPARE(slot.own(4)->expert, site->experts[site->slot(4, 0, 1)]);
    const int first = site->experts[site->slot(4, 0, 0)];
    const MapChoices expert = choicesOf(*trace, {layer1, By::Expert, first, 0});
    QCOMPARE(expert.own(4)->gate, site->gates[site->slot(4, 0, 0)]);
    std::int64_t blank = 0;
    for (std::int64_t row = 0; row < site->tokens; ++row)
        blank += expert.own(row) ? 0 : 1;
    QVERIFY(blank > 0 && blank < site->tokens);
}

void MapChoicesTest::pathsMultiplyBothGates()
{
    const auto trace = samples::switchHead(samples::text());
    const auto block = blockOf(*trace, layer1);
    const MapChoices choices = choicesOf(*trace, {layer1, By::Map, 0, 0});
    const CellReading reading = readCell(*block, choices, {9, 4}, 0.25F);
    QCOMPARE(reading.paths.size(), std::size_t(4)); // 2 of o × 2 of v
    for (const CellPath& path : reading.paths)
        QCOMPARE(path.product, 0.25 * static_cast<double>(path.row->gate) * static_cast<double>(path.column->gate));
    QCOMPARE(reading.paths[1].row, std::optional(choices.rows.at(9, 0)));
    QCOMPARE(reading.paths[1].column, std::optional(choices.columns.at(4, 1)));

    const auto moa = samples::moa(samples::text());
    const MapChoices slot = choicesOf(*moa, {layer1, By::Map, 1, 0});
    const CellReading moaReading = readCell(*blockOf(*moa, layer1), slot, {9, 4}, 0.5F);
    QCOMPARE(moaReading.paths.size(), std::size_t(1));
    QCOMPARE(moaReading.paths[0].product, 0.5 * static_cast<double>(slot.rows.at(9, 1).gate));
    QVERIFY(!moaReading.paths[0].column);

    const auto dense = samples::dense(samples::text());
    QVERIFY(readCell(*blockOf(*dense, layer1), choicesOf(*dense, {layer1, By::Map, 0, 0}), {9, 4}, 0.5F).paths.empty());
}

void MapChoicesTest::queryAndKeyRoutersAreNotOnThePath()
{
    auto trace = std::make_shared<core::Trace>(*samples::switchHead(samples::text()));
    for (auto& site : trace->sites) {
        auto changed = std::make_shared<core::SiteRouting>(*site);
        changed->router.address.site = site->router.address.site == core::Site::O ? core::Site::Q : core::Site::K;
        site = changed;
    }
    const MapChoices choices = choicesOf(*trace, {layer1, By::Map, 0, 0});
    QVERIFY(choices.rows && choices.columns && !choices.rows.onPath() && !choices.columns.onPath());
    const CellReading reading = readCell(*blockOf(*trace, layer1), choices, {9, 4}, 0.5F);
    QCOMPARE(reading.rowChoices.size(), std::size_t(2));
    QVERIFY(reading.paths.empty());
}

void MapChoicesTest::maskedAndBlankCells()
{
    const auto trace = samples::moa(samples::text());
    const auto block = blockOf(*trace, layer1);
    const MapChoices choices = choicesOf(*trace, {layer1, By::Expert, 2, 0});
    std::int64_t row = 5;
    while (choices.own(row))
        ++row;
    const CellReading blank = readCell(*block, choices, {row, 1}, std::numeric_limits<float>::quiet_NaN());
    QVERIFY(blank.blank && !blank.attention && blank.paths.empty());
    const CellReading masked = readCell(*block, choices, {3, 4}, 0.0F);
    QVERIFY(masked.masked && !masked.attention && masked.paths.empty());
    QVERIFY(!readCell(*block, choicesOf(*trace, {layer1, By::Map, 0, 0}), {9, 4}, std::nullopt).attention);
}

void MapChoicesTest::cellTextIsExactAndEscaped()
{
    auto trace = std::make_shared<core::Trace>(*samples::switchHead(samples::text()));
    trace->streams[0].text.tokens[9].piece = "%3<b>";
    const MapScene scene = MapScene::of(trace, {layer1, By::Map, 0, 0});
    const CellReading reading = readCell(*scene.block, scene.choices, {9, 4}, 0.1F);
    const QString html = cellHtml(scene, reading, Theme::light());
    QVERIFY2(html.contains(QStringLiteral("%3&lt;b&gt;")), qPrintable(html));
    QVERIFY(html.contains(QStringLiteral("<b>0.1</b>")));
    for (const ChosenExpert& chosen : reading.rowChoices)
        QVERIFY(html.contains(exactNumber(chosen.gate)));
    for (const CellPath& path : reading.paths)
        QVERIFY(html.contains(readableNumber(path.product)));
}

void MapChoicesTest::mapsOfferedAndFollowed()
{
    const auto switchHead = samples::switchAll(samples::text());
    const auto moa = samples::moa(samples::text());
    QCOMPARE(mapsOffered(*switchHead, *blockOf(*switchHead, layer1)).size(), std::size_t(2));
    QCOMPARE(mapsOffered(*moa, *blockOf(*moa, layer1)).size(), std::size_t(2 + 6));
    QVERIFY(hasMap(*moa, {layer1, By::Expert, 5, 0}) && !hasMap(*moa, {layer1, By::Expert, 6, 0}));
    QVERIFY(!hasMap(*switchHead, {layer1, By::Expert, 0, 0}));

    const core::MapRef shown{{core::Stack::None, 0, core::Block::Self}, By::Map, 1, 0};
    const auto follow = [&](const auto& trace, core::RouterAddress address, std::optional<int> expert, core::MapRef now) {
        return mapOfRouter(*trace, {std::nullopt, now, address, expert});
    };
    QCOMPARE(follow(switchHead, router(1, core::Site::V, 0), 2, shown), Optional({layer1, By::Map, 0, 0}));
    // The feed-forward layer has no map: its layer's attention, the same head as until now.
    QCOMPARE(follow(switchHead, router(1, core::Site::Mlp, std::nullopt, core::Block::Ffn), 2, shown),
             Optional({layer1, By::Map, 1, 0}));
    QCOMPARE(follow(moa, router(1, core::Site::QO, std::nullopt), 4, {layer1, By::Expert, 2, 0}),
             Optional({layer1, By::Expert, 4, 0}));
    QCOMPARE(follow(moa, router(1, core::Site::QO, std::nullopt), 4, shown), Optional({layer1, By::Map, 1, 0}));
    QCOMPARE(follow(moa, router(7, core::Site::QO, std::nullopt), 4, shown), Optional());
    QCOMPARE(mapToShow(*switchHead, {Optional({layer1, By::Expert, 3, 0}), shown, std::nullopt, std::nullopt}),
             Optional(shown));
    QCOMPARE(mapToShow(*samples::switchHead(samples::text(), samples::Maps::Left), {}), Optional());
}

void MapChoicesTest::numbers_data()
{
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("expected");
    const float nan = std::nanf("");
    QTest::newRow("tenth") << exactNumber(0.1F) << QStringLiteral("0.1");
    QTest::newRow("its neighbour") << exactNumber(std::nextafter(0.1F, 1.0F)) << QStringLiteral("0.10000001");
    QTest::newRow("tiny") << exactNumber(1.5e-20F) << QStringLiteral("1.5e−20");
    QTest::newRow("small") << exactNumber(0.0000025F) << QStringLiteral("0.0000025");
    QTest::newRow("negative") << exactNumber(-2.5F) << QStringLiteral("−2.5");
    QTest::newRow("none") << exactNumber(nan) << QStringLiteral("–");
    QTest::newRow("product") << readableNumber(1.0 / 3) << QStringLiteral("0.3333333");
    QTest::newRow("column") << fixedNumber(-1.204, 2) << QStringLiteral("−1.20");
    QTest::newRow("no negative zero") << fixedNumber(-0.001, 2) << QStringLiteral("0.00");
    QTest::newRow("margin") << marginNumber(0.41249F) << QStringLiteral("0.412");
    QTest::newRow("small margin") << marginNumber(2.4e-7F) << QStringLiteral("2.4e−07");
    QTest::newRow("no margin") << marginNumber(nan) << QStringLiteral("–");
    QTest::newRow("thousands") << countText(32768) << QStringLiteral("32\u2009768");
    QTest::newRow("hundreds") << countText(-768) << QStringLiteral("−768");
}

void MapChoicesTest::numbers()
{
    QFETCH(QString, shown);
    QFETCH(QString, expected);
    QCOMPARE(shown, expected);
}

QTEST_GUILESS_MAIN(MapChoicesTest)
#include "map_choices_test.moc"
