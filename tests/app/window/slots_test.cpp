// SPDX-License-Identifier: GPL-3.0-or-later
// Two checkpoints in the slots A and B: buttons, menus, keys, messages; and giving up a long trace.
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"

#include <QAction>
#include <QApplication>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

using namespace headscope;
using namespace headscope::app;

namespace {

QStringList texts(const QMenu& menu)
{
    QStringList texts;
    for (const QAction* action : menu.actions())
        if (!action->isSeparator())
            texts << action->text();
    return texts;
}

QAction* entry(const QMenu& menu, const QString& part)
{
    for (QAction* action : menu.actions())
        if (action->text().contains(part))
            return action;
    return nullptr;
}

struct Fixture : samples::WindowFixture {
    SlotButton* button(Slot slot)
    {
        for (SlotButton* button : window.findChildren<SlotButton*>())
            if (button->text().startsWith(slot == Slot::A ? u'A' : u'B'))
                return button;
        return nullptr;
    }
    QMenu& menu(Slot slot)
    {
        QMenu* menu = button(slot)->menu();
        Q_EMIT menu->aboutToShow();
        return *menu;
    }
    void openBoth()
    {
        openAndSettle("/x/moa.fake");
        openAndSettle("/x/switchhead.fake");
        QTRY_COMPARE(control->alive.load(), workspace.checkpoints().rowCount());
        settle();
    }
    std::string a() const { return workspace_().current()->path().filename().string(); }
    std::string b() const { return workspace_().second() ? workspace_().second()->path().filename().string() : ""; }

private:
    CheckpointListItemModel& workspace_() const { return const_cast<Workspace&>(workspace).checkpoints(); }
};

} // namespace

class SlotsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void slotsNeverHoldOneTwice();
    void buttonsChoose();
    void keysChoose();
    void theListsMenuChooses();
    void whatBCannotTraceIsSaidAndALeft();
    void aLongTraceIsStopped_data();
    void aLongTraceIsStopped();
    void pictures();
};

/// Every sequence of up to four choices among none and three checkpoints.
void SlotsTest::slotsNeverHoldOneTwice()
{
    Compute compute;
    CheckpointSession one("/1", {}, compute), two("/2", {}, compute), three("/3", {}, compute);
    CheckpointSession* const choices[]{nullptr, &one, &two, &three};
    for (int sequence = 0; sequence < 8 * 8 * 8 * 8; ++sequence) {
        CheckpointSlots slotted;
        for (int step = 0, rest = sequence; step < 4; ++step, rest /= 8) {
            CheckpointSession* chosen = choices[rest % 4];
            const Slot slot = rest % 8 < 4 ? Slot::A : Slot::B;
            const CheckpointSlots former = slotted;
            slotted = slotted.with(slot, chosen);
            QVERIFY(!slotted.a || slotted.a != slotted.b);
            QVERIFY(slotted.a || !slotted.b);
            QVERIFY(!former.a || slotted.a); // A is not lost
            if (chosen && slot == Slot::A)
                QCOMPARE(slotted.a, chosen);
        }
        const CheckpointSlots left = slotted.without(slotted.a);
        QCOMPARE(left.a, slotted.b);
        QVERIFY(!left.b);
    }
}

void SlotsTest::buttonsChoose()
{
    Fixture f;
    QVERIFY(!f.button(Slot::A)->isEnabled());
    f.openAndSettle("/x/moa.fake");
    QVERIFY(f.button(Slot::A)->text().contains(QStringLiteral("moa.fake")));
    QVERIFY(f.button(Slot::B)->text().contains(QStringLiteral("none")));
    QVERIFY(!entry(f.menu(Slot::B), QStringLiteral("moa.fake"))->isEnabled()); // nothing to compare it with
    f.openBoth();
    QCOMPARE(texts(f.menu(Slot::A)).size(), 2);
    QCOMPARE(texts(f.menu(Slot::B)).size(), 3);
    entry(f.menu(Slot::B), QStringLiteral("moa.fake"))->trigger();
    QCOMPARE(f.b(), std::string("moa.fake"));
    QVERIFY(f.button(Slot::B)->text().contains(QStringLiteral("moa.fake")));
    QVERIFY(entry(f.menu(Slot::B), QStringLiteral("moa.fake"))->isChecked());
    QVERIFY(entry(f.menu(Slot::A), QStringLiteral("moa.fake"))->text().contains(QStringLiteral("now B")));
    entry(f.menu(Slot::A), QStringLiteral("moa.fake"))->trigger(); // changes places
    QCOMPARE(f.a(), std::string("moa.fake"));
    QCOMPARE(f.b(), std::string("switchhead.fake"));
    f.settle();
    QVERIFY(f.workspace.trace()->sites.at(0)->router.address.site == core::Site::QO);
    entry(f.menu(Slot::B), QStringLiteral("None"))->trigger();
    QCOMPARE(f.b(), std::string());
    QCOMPARE(f.a(), std::string("moa.fake"));
}

void SlotsTest::keysChoose()
{
    Fixture f;
    f.openBoth();
    QApplication::setActiveWindow(&f.window);
    QListView* list = f.window.checkpoints().list();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Up);
    QTest::keyClick(list, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(f.a(), std::string("switchhead.fake"));
    QCOMPARE(f.b(), std::string("moa.fake"));
    f.window.views().editor()->edit()->setFocus();
    QTest::keyClick(f.window.views().editor()->edit(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(f.a(), std::string("moa.fake"));
    QCOMPARE(f.b(), std::string("switchhead.fake"));
    f.settle();
    // The key of a slot drops its menu down; there the checkpoints have numbers.
    QTimer::singleShot(0, this, [&f] {
        QTRY_VERIFY(QApplication::activePopupWidget());
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_2);
    });
    QTest::keyClick(f.window.views().editor()->edit(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_COMPARE(f.a(), std::string("switchhead.fake"));
}

void SlotsTest::theListsMenuChooses()
{
    Fixture f;
    f.openBoth();
    QListView* list = f.window.checkpoints().list();
    const auto choose = [&](int row, const QString& text) {
        const QPoint place = list->visualRect(f.workspace.checkpoints().index(row)).center();
        Q_EMIT list->customContextMenuRequested(place);
        auto* menu = list->findChild<QMenu*>();
        QVERIFY(menu);
        QAction* action = entry(*menu, text);
        QVERIFY2(action, qPrintable(texts(*menu).join(u'|')));
        QVERIFY(action->isEnabled());
        action->trigger();
        menu->close();
        QTRY_VERIFY(!list->findChild<QMenu*>());
    };
    choose(0, QStringLiteral("Compare as &B"));
    QCOMPARE(f.b(), std::string("moa.fake"));
    choose(0, QStringLiteral("Show as &A"));
    QCOMPARE(f.a(), std::string("moa.fake"));
    QCOMPARE(f.b(), std::string("switchhead.fake"));
    choose(0, QStringLiteral("Swap"));
    QCOMPARE(f.a(), std::string("switchhead.fake"));
    choose(0, QStringLiteral("Not as"));
    QCOMPARE(f.b(), std::string());
    choose(0, QStringLiteral("Close"));
    QCOMPARE(f.workspace.checkpoints().rowCount(), 1);
}

void SlotsTest::whatBCannotTraceIsSaidAndALeft()
{
    Fixture f;
    f.openAndSettle("/x/moa-ids.fake");
    f.openAndSettle("/x/switchhead.fake");
    f.workspace.put(Slot::B, f.workspace.checkpoints().session(0));
    f.settle();
    f.window.setText("words are no ids");
    f.settle();
    QVERIFY(f.workspace.current());
    QTRY_VERIFY(samples::containsVisible(f.window.views().messages()->sentences(), QStringLiteral("B, x/moa-ids.fake")));
    QVERIFY(f.window.views().textMessages()->sentences().isEmpty());
    QVERIFY(!f.window.views().strip()->isStale());
    f.workspace.put(Slot::B, nullptr);
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void SlotsTest::aLongTraceIsStopped_data()
{
    QTest::addColumn<bool>("byKey");
    QTest::newRow("Esc") << true;
    QTest::newRow("button") << false;
}

void SlotsTest::aLongTraceIsStopped()
{
    QFETCH(bool, byKey);
    Fixture f;
    QApplication::setActiveWindow(&f.window);
    f.openAndSettle("/x/switchhead.fake");
    auto* stop = f.window.findChild<QPushButton*>(QStringLiteral("stopTrace"));
    QVERIFY(!stop->isVisible());
    f.control->held = true;
    f.window.setText("this one takes long");
    QTRY_VERIFY(stop->isVisible());
    if (byKey)
        QTest::keyClick(f.window.views().editor()->edit(), Qt::Key_Escape);
    else
        QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY(!f.workspace.tracing());
    QVERIFY(!stop->isVisible());
    QVERIFY(samples::containsVisible(f.window.views().textMessages()->sentences(), QStringLiteral("was stopped")));
    QVERIFY(f.window.views().strip()->isStale() || !f.workspace.current());
    f.control->held = false;
    f.window.views().textMessages()->findChild<QPushButton*>()->click();
    f.settle();
    QVERIFY(f.workspace.current());
    QTRY_VERIFY(f.window.views().textMessages()->sentences().isEmpty());
    QCOMPARE(f.workspace.trace()->text().text, std::string("this one takes long"));
}

void SlotsTest::pictures()
{
    for (const auto kind : {widgets::Theme::Kind::Light, widgets::Theme::Kind::Dark}) {
        const auto theme = kind == widgets::Theme::Kind::Light ? widgets::Theme::light() : widgets::Theme::dark();
        const QString name = kind == widgets::Theme::Kind::Light ? QStringLiteral("light") : QStringLiteral("dark");
        Fixture f;
        f.window.setTheme(kind == widgets::Theme::Kind::Light ? ThemeChoice::Light : ThemeChoice::Dark);
        f.openAndSettle("/x/dense.fake");
        f.openBoth();
        f.workspace.put(Slot::B, f.workspace.checkpoints().session(1));
        f.window.setText("The committee met again on Tuesday, and nobody could say why it had met on Monday.");
        f.settle();
        const QImage quiet = samples::pictureOf(f.window, QStringLiteral("slots-") + name, theme, {1280, 860});
        QVERIFY(samples::inkIn(quiet, QRect(0, 0, 400, 200), theme.window) > 500);
        f.control->held = true;
        f.window.setText("The committee met again, and this one takes long.");
        QTRY_VERIFY(f.window.status().findChild<QPushButton*>(QStringLiteral("stopTrace"))->isVisible());
        samples::pictureOf(f.window, QStringLiteral("tracing-") + name, theme, {1280, 860});
        f.workspace.stopTracing();
        QTRY_VERIFY(!f.workspace.tracing());
        f.control->held = false;
        samples::pictureOf(f.window, QStringLiteral("stopped-") + name, theme, {1280, 860});
    }
}

QTEST_MAIN(SlotsTest)
#include "slots_test.moc"
