// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/routing_view.h"

#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

class RoutingViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pictures();
};

void RoutingViewTest::pictures()
{
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        const QString suffix = theme.kind == Theme::Kind::Light ? QStringLiteral("-light") : QStringLiteral("-dark");
        Selection selection;
        RoutingView view;
        view.setSelection(&selection);
        view.setTrace(samples::switchHead(samples::text()));
        selection.setRouter(core::RouterAddress{core::Stack::None, 1, core::Block::Self, core::Site::O, 1});
        selection.setBytes(core::ByteRange{20, 24});
        selection.setExpert(2);
        samples::pictureOf(view, QStringLiteral("routing-gates") + suffix, theme, {960, 620});
        view.setMode(RoutingItemModel::Mode::Logits);
        samples::pictureOf(view, QStringLiteral("routing-logits") + suffix, theme, {960, 620});
        view.setPage(RoutingView::Page::Layers);
        samples::pictureOf(view, QStringLiteral("routing-layers") + suffix, theme, {960, 620});
        view.setPage(RoutingView::Page::Experts);
        view.setMode(RoutingItemModel::Mode::Gates);
        view.setTrace(samples::switchAll(samples::text()));
        selection.setRouter(core::RouterAddress{core::Stack::None, 1, core::Block::Ffn, core::Site::Mlp, std::nullopt});
        samples::pictureOf(view, QStringLiteral("routing-mlp") + suffix, theme, {960, 620});
        view.setTrace(samples::dense(samples::text()));
        samples::pictureOf(view, QStringLiteral("routing-dense") + suffix, theme, {960, 620});
    }
}

QTEST_MAIN(RoutingViewTest)
#include "routing_view_test.moc"
