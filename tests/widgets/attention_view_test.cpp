// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/attention_view.h"

#include "tests/widgets/fake_tiles.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

class AttentionViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pictures();
};

void AttentionViewTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        const auto trace = samples::switchHead("The quick brown fox jumps over the lazy dog and his aunt, who was 90% asleep.");
        samples::FakeTiles tiles(samples::attentionOf(*trace));
        Selection selection;
        AttentionView view(&tiles);
        view.setSelection(&selection);
        view.setTrace(trace);
        view.resize(1000, 700);
        samples::pictureOf(view, QStringLiteral("attention-first") + suffix, theme, {1000, 700});
        view.mapWidget()->chooseCell({9, 4});
        samples::pictureOf(view, QStringLiteral("attention-cell") + suffix, theme, {1000, 700});
        view.setStale(true);
        samples::pictureOf(view, QStringLiteral("attention-stale") + suffix, theme, {700, 500});
        view.setTrace(samples::switchHead(samples::text(), samples::Maps::Left));
        samples::pictureOf(view, QStringLiteral("attention-none") + suffix, theme, {700, 500});

        const auto moa = samples::moa(samples::text());
        samples::FakeTiles moaTiles(samples::attentionOf(*moa));
        AttentionView moaView(&moaTiles);
        moaView.setSelection(&selection);
        moaView.setTrace(moa);
        selection.setMap(core::MapRef{{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Expert, 2, 0});
        moaView.mapWidget()->chooseCell({27, 3});
        samples::pictureOf(moaView, QStringLiteral("attention-moa") + suffix, theme, {1000, 700});
    }
}

QTEST_MAIN(AttentionViewTest)
#include "attention_view_test.moc"
