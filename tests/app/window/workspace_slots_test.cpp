// SPDX-License-Identifier: GPL-3.0-or-later
// A and B: B is traced after A on the same text, and A is not concerned by what happens to B.
#include "app/window/workspace.h"
#include "tests/app/window/fake_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace headscope::app;

namespace {

using Role = CheckpointListItemModel::Role;

std::string name(const Workspace& workspace, int row)
{
    return const_cast<Workspace&>(workspace).checkpoints().session(row)->path().filename().string();
}

} // namespace

class WorkspaceSlotsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_control = std::make_shared<samples::FakeControl>(); }
    void bIsTracedAfterAOnTheSameText();
    void bThatFailsLeavesA();
    void slotsSwap();
    void closingAMovesBUp();
    void theSamePathIsReplacedInItsSlot();

private:
    std::shared_ptr<samples::FakeControl> m_control;
};

void WorkspaceSlotsTest::bIsTracedAfterAOnTheSameText()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QAbstractItemModelTester tester(&workspace.checkpoints());
    workspace.open("/x/moa.fake");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 2);
    CheckpointSession* b = workspace.checkpoints().session(0);
    CheckpointSession* a = workspace.checkpoints().session(1);
    QVERIFY(!workspace.secondTrace());
    workspace.put(Slot::B, b);
    QCOMPARE(workspace.checkpoints().current(), a);
    QCOMPARE(workspace.checkpoints().second(), b);
    QCOMPARE(workspace.checkpoints().index(0).data(Role::SlotRole).toString(), QStringLiteral("B"));
    QCOMPARE(workspace.checkpoints().index(1).data(Role::SlotRole).toString(), QStringLiteral("A"));
    QTRY_VERIFY(workspace.secondCurrent());

    QStringList order;
    connect(&workspace, &Workspace::traceChanged, this, [&] { order << QStringLiteral("A"); });
    connect(&workspace, &Workspace::secondTraceChanged, this, [&] { order << QStringLiteral("B"); });
    workspace.setText("one two three");
    QVERIFY(!workspace.secondCurrent());
    QVERIFY(!workspace.idle());
    QTRY_VERIFY(workspace.idle());
    QVERIFY(workspace.current() && workspace.secondCurrent());
    QCOMPARE(order, (QStringList{QStringLiteral("A"), QStringLiteral("B")}));
    QCOMPARE(workspace.secondTrace()->text().text, std::string("one two three"));
    QVERIFY(workspace.secondTrace()->sites.at(0)->router.address.site == core::Site::QO);
    QVERIFY(workspace.trace()->sites.at(0)->router.address.site == core::Site::V); // views and selection follow A
    QVERIFY(workspace.selection().state().router->site == core::Site::V);
    QCOMPARE(workspace.tiles().trace(), workspace.trace());

    workspace.put(Slot::B, nullptr);
    QVERIFY(!workspace.secondTrace());
    const int begun = m_control->begun;
    workspace.setText("four");
    QTRY_VERIFY(workspace.idle());
    QCOMPARE(m_control->begun.load(), begun + 1); // B costs nothing when there is none
    workspace.put(Slot::B, a);
    QVERIFY(!workspace.checkpoints().second()); // A is not compared with itself
    QCOMPARE(workspace.checkpoints().current(), a);
}

void WorkspaceSlotsTest::bThatFailsLeavesA()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy failed(&workspace, &Workspace::traceFailed);
    QSignalSpy secondFailed(&workspace, &Workspace::secondTraceFailed);
    workspace.open("/x/switchhead-ids.fake");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 2);
    workspace.put(Slot::B, workspace.checkpoints().session(0));
    QTRY_VERIFY(workspace.idle());
    workspace.setText("words, which B reads as ids");
    QTRY_COMPARE(secondFailed.size(), 1);
    QCOMPARE(failed.size(), 0);
    QVERIFY(workspace.current());
    QVERIFY(!workspace.secondCurrent());
    workspace.setText("17 4");
    QTRY_VERIFY(workspace.idle());
    QVERIFY(workspace.current() && workspace.secondCurrent());
}

void WorkspaceSlotsTest::slotsSwap()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.setText("one two");
    workspace.open("/x/moa.fake");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 2);
    workspace.swapSlots(); // without a B nothing
    QCOMPARE(workspace.checkpoints().current(), workspace.checkpoints().session(1));
    workspace.put(Slot::B, workspace.checkpoints().session(0));
    QTRY_VERIFY(workspace.secondCurrent());
    const auto a = workspace.trace();
    const auto b = workspace.secondTrace();
    const int begun = m_control->begun;
    workspace.swapSlots();
    QCOMPARE(workspace.trace(), b);
    QCOMPARE(workspace.secondTrace(), a);
    workspace.put(Slot::A, workspace.checkpoints().second()); // the same by the menu of A
    QCOMPARE(workspace.trace(), a);
    QCOMPARE(workspace.secondTrace(), b);
    QTRY_VERIFY(workspace.idle());
    QCOMPARE(m_control->begun.load(), begun); // nothing is traced twice
}

void WorkspaceSlotsTest::closingAMovesBUp()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/dense.fake");
    workspace.open("/x/moa.fake");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 3);
    workspace.put(Slot::B, workspace.checkpoints().session(1));
    workspace.close(workspace.checkpoints().current());
    QCOMPARE(name(workspace, workspace.checkpoints().row(workspace.checkpoints().current())), std::string("moa.fake"));
    QVERIFY(!workspace.checkpoints().second());
    QTRY_VERIFY(workspace.current());
    workspace.put(Slot::B, workspace.checkpoints().session(0));
    QTRY_VERIFY(workspace.secondCurrent());
    workspace.close(workspace.checkpoints().second());
    QVERIFY(!workspace.checkpoints().second());
    QVERIFY(workspace.current());
}

void WorkspaceSlotsTest::theSamePathIsReplacedInItsSlot()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/moa.fake");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 2);
    workspace.put(Slot::B, workspace.checkpoints().session(0));
    workspace.open("/x/moa.fake");
    QTRY_VERIFY(workspace.idle() && workspace.checkpoints().rowCount() == 2);
    QCOMPARE(name(workspace, workspace.checkpoints().row(workspace.checkpoints().second())), std::string("moa.fake"));
    QTRY_VERIFY(workspace.secondCurrent());
    QCOMPARE(name(workspace, workspace.checkpoints().row(workspace.checkpoints().current())), std::string("switchhead.fake"));
}

QTEST_GUILESS_MAIN(WorkspaceSlotsTest)
#include "workspace_slots_test.moc"
