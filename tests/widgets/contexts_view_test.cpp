// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/contexts_view.h"

#include "tests/widgets/pictures.h"
#include "widgets/cell_roles.h"
#include "widgets/context_item_model.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace headscope;
using namespace headscope::widgets;

namespace {

using Tester = QAbstractItemModelTester;
const auto mode = Tester::FailureReportingMode::QtTest;
const core::RouterAddress router{core::Stack::None, 1, core::Block::Self, core::Site::V, 0};

core::Context made(const std::string& before, const std::string& keyword, const std::string& after,
                   std::vector<core::ExpertGate> experts)
{
    core::Context context;
    context.path = "texts/heldout.txt";
    context.document = 7;
    context.router = router;
    context.piece = "▁the";
    context.experts = std::move(experts);
    context.before = before;
    context.keyword = keyword;
    context.after = after;
    context.margin = 0.5F;
    context.passage = {before + keyword + after, {before.size(), before.size() + keyword.size()}, true};
    return context;
}

/// Expert 1 of 3: two contexts, three counter-examples with all that texts may hold.
std::shared_ptr<core::Contexts> handMade()
{
    auto contexts = std::make_shared<core::Contexts>();
    contexts->chosen = {
        made("and the altar and all its vessels, and", " the", " basin and its base", {{1, 0.98F}, {2, 0.68F}}),
        made("In", " the", " beginning", {{0, 0.7F}, {1, 0.5F}})};
    contexts->others = {
        made("\u05d0\u05d1\u05d2 \u05d3\u05d4", " the", " \u05d5\u05d6\u05d7", {{2, 0.9F}, {0, 0.2F}}),
        made("one line\nthe next\t", " the", "\x01\xff end", {{2, 0.8F}, {0, 0.2F}}),
        made("\U0001F600 \U0001F469\u200d\U0001F680 e\u0301", "", " \U0001F1E9\U0001F1EA", {{0, 0.6F}, {2, 0.1F}})};
    contexts->chosen[0].unseen = 8;
    contexts->others[1].doubtful = true;
    contexts->others[2].passage.sameTokens = false;
    contexts->others[2].margin = std::numeric_limits<float>::quiet_NaN();
    contexts->selections = {3, 2, 4};
    contexts->corpus.positions = contexts->decisions = contexts->positionsRun = 5;
    contexts->windows = contexts->windowsRun = 4;
    return contexts;
}

QString plain(QString text)
{
    return text.remove(QChar(0x2068)).remove(QChar(0x2069));
}

QString cell(const ContextItemModel& model, int row, int column)
{
    return plain(model.index(row, column).data().toString());
}

} // namespace

class ContextsViewTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void groupsStandUnderTheirTitles();
    void withoutAnExpertThereIsOneGroup();
    void routersAreNamedWhereThereAreSeveral();
    void linesHideNothing();
    void itSaysWhatWasFound();
    void doubleClickAndEnterSendThePassage();
    void theSearchIsShownAndCanBeStopped();
    void longAndForeignTextsArePainted();
};

void ContextsViewTest::groupsStandUnderTheirTitles()
{
    ContextItemModel model;
    const Tester tester(&model, mode);
    model.setContexts(handMade(), 1);
    QCOMPARE(model.rowCount(), 7);
    QCOMPARE(cell(model, 0, 0), QStringLiteral("Expert 1 is chosen, by its gate: 2"));
    QCOMPARE(cell(model, 1, ContextItemModel::GateColumn), QStringLiteral("1: 0.98"));
    QCOMPARE(cell(model, 1, ContextItemModel::OthersColumn), QStringLiteral("2: 0.68"));
    QCOMPARE(cell(model, 2, ContextItemModel::GateColumn), QStringLiteral("1: 0.50")); // its own, not the highest
    QCOMPARE(cell(model, 2, ContextItemModel::OthersColumn), QStringLiteral("0: 0.70"));
    QVERIFY(cell(model, 3, 0).startsWith(QStringLiteral("Counter-examples")));
    QCOMPARE(cell(model, 4, ContextItemModel::GateColumn), QStringLiteral("2: 0.90"));
    QCOMPARE(model.index(4, ContextItemModel::GateColumn).data(ExpertRole).toInt(), 2);
    QVERIFY(model.index(5, ContextItemModel::OthersColumn).data(DoubtRole).toBool());
    QCOMPARE(cell(model, 6, ContextItemModel::DocumentColumn), QStringLiteral("heldout.txt #7"));
    QVERIFY(model.isTitle(0) && model.isTitle(3) && !model.isTitle(4) && !model.isTitle(7));
    QVERIFY(!model.flags(model.index(3, 0)).testFlag(Qt::ItemIsSelectable));
    auto more = handMade();
    more->selections[1] = 300;
    more->decisions = 1000;
    model.setContexts(more, 1);
    QCOMPARE(cell(model, 0, 0), QStringLiteral("Expert 1 is chosen, by its gate: 2 of 300"));
    QVERIFY(cell(model, 3, 0).endsWith(QStringLiteral(": 3 of 700")));
    more = std::make_shared<core::Contexts>();
    more->selections = {0, 0, 0};
    model.setContexts(more, 1);
    QCOMPARE(model.rowCount(), 0);
    model.setContexts(nullptr, std::nullopt);
    QCOMPARE(model.rowCount(), 0);
}

void ContextsViewTest::withoutAnExpertThereIsOneGroup()
{
    ContextItemModel model;
    const Tester tester(&model, mode);
    auto contexts = handMade();
    contexts->others.clear();
    model.setContexts(contexts, std::nullopt);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(cell(model, 2, ContextItemModel::GateColumn), QStringLiteral("0: 0.70"));
    QCOMPARE(cell(model, 0, 0), QStringLiteral("All occurrences, by the highest gate: 2 of 5"));
}

void ContextsViewTest::routersAreNamedWhereThereAreSeveral()
{
    ContextsView view;
    view.setContexts(handMade(), QStringLiteral("␣the"), 1);
    QVERIFY(view.table()->isColumnHidden(ContextItemModel::RouterColumn));
    auto contexts = handMade();
    contexts->chosen[1].router.head = 3;
    view.setContexts(contexts, QStringLiteral("␣the"), 1);
    QVERIFY(!view.table()->isColumnHidden(ContextItemModel::RouterColumn));
    QCOMPARE(cell(*view.model(), 2, ContextItemModel::RouterColumn), QStringLiteral("layers.1.self.v.h3"));
}

void ContextsViewTest::linesHideNothing()
{
    const auto contexts = handMade();
    const ContextLine first = contextLine(contexts->chosen[0]);
    QCOMPARE(first.unseen, QStringLiteral("and the "));
    QCOMPARE(first.before, QStringLiteral("altar and all its vessels, and ")); // with the space of the token
    QCOMPARE(first.keyword, QStringLiteral("the"));
    QCOMPARE(first.after, QStringLiteral(" basin and its base"));
    const ContextLine odd = contextLine(contexts->others[1]);
    QCOMPARE(odd.before, QStringLiteral("one line↵the next⇥ "));
    QCOMPARE(odd.after, QStringLiteral("\\x01\\xFF end"));
    const ContextLine empty = contextLine(contexts->others[2]);
    QCOMPARE(empty.keyword, QStringLiteral("␣the")); // a token without bytes: its piece
    QVERIFY(empty.before.contains(QString::fromUtf8("\U0001F469\u200d\U0001F680")));
}

void ContextsViewTest::itSaysWhatWasFound()
{
    ContextsView view;
    view.setContexts(handMade(), QStringLiteral("␣the"), 1);
    QCOMPARE(plain(view.title()), QStringLiteral("Contexts of ␣the, expert 1"));
    const auto says = [&](const QString& text) {
        return std::ranges::any_of(view.findChildren<QLabel*>(),
                                   [&](const QLabel* label) { return label->text().contains(text); });
    };
    QVERIFY(says(QStringLiteral("5 occurrences in 4 windows")));
    auto contexts = handMade();
    contexts->windows = 9;
    contexts->behind = 2;
    view.setContexts(contexts, QStringLiteral("␣the"), 1);
    QVERIFY(
        says(QStringLiteral("besides 2 behind documents, which do not count; 4 of the windows run, with 5 occurrences")));
    view.setContexts(std::make_shared<core::Contexts>(), QStringLiteral("␣the"), std::nullopt);
    QVERIFY(says(QStringLiteral("does not occur")));
    view.setNote(QStringLiteral("another corpus"));
    QCOMPARE(view.note(), QStringLiteral("another corpus"));
}

void ContextsViewTest::doubleClickAndEnterSendThePassage()
{
    ContextsView view;
    view.resize(900, 300);
    view.setContexts(handMade(), QStringLiteral("␣the"), 1);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    core::Context sent;
    int count = 0;
    connect(&view, &ContextsView::activated, this, [&](const core::Context& context) {
        sent = context;
        ++count;
    });
    const auto place = [&](int row) {
        return view.table()->visualRect(view.model()->index(row, ContextItemModel::TextColumn)).center();
    };
    const auto doubleClick = [&](int row) {
        QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {}, place(row));
        QTest::mouseDClick(view.table()->viewport(), Qt::LeftButton, {}, place(row));
    };
    doubleClick(2);
    QCOMPARE(count, 1);
    QVERIFY(sent == view.contexts()->chosen[1]);
    doubleClick(3); // a title
    QCOMPARE(count, 1);
    view.table()->setCurrentIndex(view.model()->index(5, ContextItemModel::TextColumn));
    view.table()->setFocus();
    QTest::keyClick(view.table(), Qt::Key_Return);
    QCOMPARE(count, 2);
    QVERIFY(sent == view.contexts()->others[1]);
}

void ContextsViewTest::theSearchIsShownAndCanBeStopped()
{
    ContextsView view;
    view.resize(900, 300);
    view.show();
    QSignalSpy stopped(&view, &ContextsView::stopAsked);
    QSignalSpy closed(&view, &ContextsView::closeAsked);
    auto* stop = view.findChild<QPushButton*>(QStringLiteral("stopSearch"));
    QVERIFY(stop && !stop->isVisible());
    view.setSearching(SearchState{0.3, QStringLiteral("running windows, 3 of 9")});
    QVERIFY(stop->isVisible());
    stop->click();
    QCOMPARE(stopped.count(), 1);
    view.findChild<QToolButton*>()->click();
    QCOMPARE(closed.count(), 1);
    // Rows that arrive while it runs leave the chosen one where it is.
    view.setContexts(handMade(), QStringLiteral("␣the"), 1);
    view.table()->setCurrentIndex(view.model()->index(2, ContextItemModel::TextColumn));
    view.setContexts(handMade(), QStringLiteral("␣the"), 1);
    QCOMPARE(view.table()->currentIndex().row(), 2);
    view.setSearching(std::nullopt);
    QVERIFY(!stop->isVisible());
}

void ContextsViewTest::longAndForeignTextsArePainted()
{
    ContextsView view;
    auto contexts = handMade();
    const std::string longText(20'000, 'w');
    contexts->chosen.push_back(made(longText, longText, longText, {{1, 0.4F}}));
    contexts->chosen.push_back(made("", " the", "", {{1, 0.3F}}));
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        view.setContexts(contexts, QStringLiteral("␣the"), 1);
        view.table()->setCurrentIndex(view.model()->index(1, ContextItemModel::TextColumn));
        const QImage picture = samples::pictureOf(
            view, theme == Theme::light() ? QStringLiteral("contexts") : QStringLiteral("contexts_dark"), theme, {900, 280});
        for (int row = 1; row < view.model()->rowCount(); ++row) {
            const QRect rect = view.table()
                                   ->visualRect(view.model()->index(row, ContextItemModel::TextColumn))
                                   .translated(view.table()->viewport()->mapTo(&view, QPoint()));
            if (!view.model()->isTitle(row))
                QVERIFY2(samples::inkIn(picture, rect, theme.base) > 10, qPrintable(QString::number(row)));
        }
    }
    view.resize(40, 40); // no room at all
    view.grab();
}

QTEST_MAIN(ContextsViewTest)
#include "contexts_view_test.moc"
