// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace.h"
#include "tests/app/window/fake_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

using Role = CheckpointListItemModel::Role;

std::string name(const Workspace& workspace, int row)
{
    return const_cast<Workspace&>(workspace).checkpoints().session(row)->path().filename().string();
}

} // namespace

class WorkspaceTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void opensAndTraces();
    void textIsTracedByTheCurrentCheckpoint();
    void aFailedOpeningLeavesEverything();
    void anOpeningCanBeCancelled();
    void openingShowsProgress();
    void theListSwitches();
    void aCheckpointThatHasNotTracedLeavesTheFormerPicture();
    void closingTheCurrentShowsAnother();
    void closingTheLastEmptiesTheViews();
    void closingWhileItTracesDoesNotWait();
    void closedModelsAreGone();
    void aTraceCanBeStopped();
    void theSamePathIsReplaced();
    void aTextThatCannotBeTraced();
    void withoutATokenizerTextIsIds();
    void aCheckpointThatChangesOnDisk();
    void hostileTexts_data();
    void hostileTexts();
    void selectionAdaptsToTheTrace();
    void endsWhileEverythingRuns();

private:
    std::shared_ptr<samples::FakeControl> m_control;
};

void WorkspaceTest::init()
{
    m_control = std::make_shared<samples::FakeControl>();
}

void WorkspaceTest::opensAndTraces()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QAbstractItemModelTester tester(&workspace.checkpoints());
    workspace.setText("one two three");
    QVERIFY(!workspace.trace());
    workspace.open("/x/switchhead.fake");
    QVERIFY(!workspace.idle());
    QTRY_VERIFY(workspace.idle());
    QVERIFY(workspace.current());
    QCOMPARE(workspace.trace()->text().text, std::string("one two three"));
    QCOMPARE(workspace.tiles().trace(), workspace.trace());
    QVERIFY(workspace.selection().state().router);
    QCOMPARE(workspace.checkpoints().index(0).data().toString(), QStringLiteral("x/switchhead.fake"));
    QVERIFY(workspace.checkpoints().index(0).data(Role::CurrentRole).toBool());
    QVERIFY(!workspace.checkpoints().index(0).data(Role::OpeningRole).toBool());
}

void WorkspaceTest::textIsTracedByTheCurrentCheckpoint()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle());
    QCOMPARE(workspace.trace()->tokens(), 0);
    QSignalSpy changed(&workspace, &Workspace::traceChanged);
    workspace.setText("a word");
    QVERIFY(!workspace.current());
    QTRY_VERIFY(workspace.current());
    QCOMPARE(changed.size(), 1);
    workspace.setText("a word");
    QVERIFY(workspace.current());
}

void WorkspaceTest::aFailedOpeningLeavesEverything()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QAbstractItemModelTester tester(&workspace.checkpoints());
    QSignalSpy failed(&workspace, &Workspace::openFailed);
    workspace.setText("some words stay");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.idle());
    workspace.selection().setBytes(core::ByteRange{5, 10});
    const auto trace = workspace.trace();
    const auto state = workspace.selection().state();
    workspace.open("/x/letter.txt");
    QCOMPARE(workspace.checkpoints().rowCount(), 2);
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed[0][1].toString(),
             QStringLiteral("/x/letter.txt: this is no checkpoint; open the file that training saved."));
    QCOMPARE(workspace.checkpoints().rowCount(), 1);
    QCOMPARE(workspace.trace(), trace);
    QVERIFY(workspace.selection().state() == state);
    QCOMPARE(workspace.text(), std::string("some words stay"));
    workspace.setText("and typing goes on");
    QTRY_VERIFY(workspace.current());
}

void WorkspaceTest::anOpeningCanBeCancelled()
{
    m_control->holdOpening = true;
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy failed(&workspace, &Workspace::openFailed);
    workspace.open("/x/switchhead.fake");
    workspace.open("/x/moa.fake"); // waits behind the first
    QCOMPARE(workspace.checkpoints().rowCount(), 2);
    QTest::qWait(10);
    workspace.cancelOpening();
    QCOMPARE(workspace.checkpoints().rowCount(), 0);
    QVERIFY(!workspace.opening());
    QTRY_VERIFY(workspace.compute().idle());
    QCOMPARE(failed.size(), 0); // the user knows
    m_control->holdOpening = false;
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
}

void WorkspaceTest::openingShowsProgress()
{
    Workspace workspace([](const std::filesystem::path&, const core::OpenOptions&,
                           const core::Progress& progress) -> std::shared_ptr<const core::Model> {
        for (int i = 0; i < 200; ++i) {
            progress.at(i / 200.0, "reading the weights");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        throw core::Error("after all it was nothing.");
    });
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.opening() && workspace.opening()->progress().fraction > 0);
    const auto index = workspace.checkpoints().index(0);
    QVERIFY(index.data(Role::OpeningRole).toBool());
    QVERIFY(index.data(Role::FractionRole).toDouble() > 0);
    QVERIFY(index.data(Role::SubtitleRole).toString().contains(QStringLiteral("reading the weights")));
}

void WorkspaceTest::theListSwitches()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.setText("one two three");
    workspace.open("/x/switchhead.fake");
    workspace.open("/x/moa.fake");
    QTRY_COMPARE(m_control->alive.load(), 2);
    QTRY_VERIFY(workspace.idle() && workspace.checkpoints().rowCount() == 2);
    QCOMPARE(workspace.checkpoints().current(), workspace.checkpoints().session(1));
    QVERIFY(workspace.trace()->sites.at(0)->router.address.site == core::Site::QO);
    QVERIFY(workspace.selection().state().router->site == core::Site::QO);
    workspace.checkpoints().setCurrent(workspace.checkpoints().session(0));
    QTRY_VERIFY(workspace.current());
    QVERIFY(workspace.trace()->sites.at(0)->router.address.site == core::Site::V);
    QVERIFY(workspace.selection().state().router->site == core::Site::V);
    // The text changes while the other is shown: on return it is traced anew.
    workspace.setText("four five");
    QTRY_VERIFY(workspace.current());
    workspace.checkpoints().setCurrent(workspace.checkpoints().session(1));
    QVERIFY(!workspace.current());
    QTRY_VERIFY(workspace.current());
    QCOMPARE(workspace.trace()->text().text, std::string("four five"));
}

void WorkspaceTest::aCheckpointThatHasNotTracedLeavesTheFormerPicture()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    const auto former = workspace.trace();
    m_control->held = true;
    workspace.open("/x/moa.fake");
    QTRY_COMPARE(m_control->begun.load(), 2);
    QCOMPARE(workspace.trace(), former);
    QVERIFY(!workspace.current());
    m_control->held = false;
    QTRY_VERIFY(workspace.current());
    QVERIFY(workspace.trace() != former);
}

void WorkspaceTest::closingTheCurrentShowsAnother()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QAbstractItemModelTester tester(&workspace.checkpoints());
    workspace.setText("one");
    workspace.open("/x/switchhead.fake");
    workspace.open("/x/moa.fake");
    QTRY_VERIFY(workspace.idle() && workspace.checkpoints().rowCount() == 2 && m_control->alive == 2);
    workspace.close(workspace.checkpoints().current());
    QCOMPARE(workspace.checkpoints().rowCount(), 1);
    QTRY_VERIFY(workspace.current());
    QCOMPARE(name(workspace, 0), std::string("switchhead.fake"));
    QVERIFY(workspace.trace()->sites.at(0)->router.address.site == core::Site::V);
}

void WorkspaceTest::closingTheLastEmptiesTheViews()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    workspace.close(workspace.checkpoints().current());
    QVERIFY(!workspace.trace());
    QVERIFY(!workspace.checkpoints().current());
    QVERIFY(workspace.idle());
    workspace.setText("typed without a model");
    QVERIFY(workspace.idle());
}

void WorkspaceTest::closingWhileItTracesDoesNotWait()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    m_control->held = true;
    workspace.setText("a long work");
    QTRY_COMPARE(m_control->begun.load(), 2);
    QElapsedTimer timer;
    timer.start();
    workspace.close(workspace.checkpoints().current());
    QVERIFY(timer.elapsed() < 100);
    QTRY_COMPARE(m_control->alive.load(), 0);
    QCOMPARE(m_control->cancelled.load(), 1);
}

void WorkspaceTest::closedModelsAreGone()
{
    Workspace workspace(samples::fakeOpener(m_control));
    for (int i = 0; i < 20; ++i) {
        workspace.open("/x/switchhead.fake");
        QTRY_VERIFY(workspace.current());
        workspace.close(workspace.checkpoints().current());
    }
    QTRY_COMPARE(m_control->alive.load(), 0);
    QTRY_VERIFY(workspace.compute().idle());
}

void WorkspaceTest::aTraceCanBeStopped()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy stopped(&workspace, &Workspace::stopped);
    QSignalSpy failed(&workspace, &Workspace::traceFailed);
    workspace.setText("short");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    workspace.stopTracing(); // there is nothing to stop
    QCOMPARE(stopped.size(), 0);
    const auto former = workspace.trace();
    m_control->held = true;
    workspace.setText("this takes long");
    QTRY_COMPARE(m_control->begun.load(), 2);
    workspace.stopTracing();
    QCOMPARE(stopped.size(), 1);
    QTRY_VERIFY(!workspace.tracing());
    QCOMPARE(m_control->cancelled.load(), 1);
    QVERIFY(!workspace.current());
    QCOMPARE(workspace.trace(), former);
    m_control->held = false;
    workspace.traceAgain(WhenLong::Trace);
    QTRY_VERIFY(workspace.current());
    QCOMPARE(workspace.trace()->text().text, std::string("this takes long"));
    QCOMPARE(failed.size(), 0);
}

void WorkspaceTest::theSamePathIsReplaced()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    auto* former = workspace.checkpoints().current();
    workspace.open("/x/switchhead.fake");
    QCOMPARE(workspace.checkpoints().current(), former); // until the new one is ready
    QTRY_VERIFY(workspace.checkpoints().current() != former);
    QTRY_COMPARE(workspace.checkpoints().rowCount(), 1);
    QTRY_COMPARE(m_control->alive.load(), 1);
    QTRY_VERIFY(workspace.current());
}

void WorkspaceTest::aTextThatCannotBeTraced()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy failed(&workspace, &Workspace::traceFailed);
    workspace.setText("good");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    const auto former = workspace.trace();
    workspace.setText("unreadable");
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed[0][1].toString(), QStringLiteral("The word at byte 0 cannot be read: write another one."));
    QVERIFY(!workspace.current());
    QCOMPARE(workspace.trace(), former);
    workspace.setText("good again");
    QTRY_VERIFY(workspace.current());
}

void WorkspaceTest::withoutATokenizerTextIsIds()
{
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy failed(&workspace, &Workspace::traceFailed);
    workspace.setText("prose");
    workspace.open("/x/switchhead-ids.fake");
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(!workspace.checkpoints().current()->hasTokenizer());
    workspace.setText("1 2, 3");
    QTRY_VERIFY(workspace.current());
    // The tokenizer is chosen: the same checkpoint again, with it.
    core::OpenOptions options;
    options.tokenizer = "/x/tokenizer.model";
    workspace.open(workspace.checkpoints().current()->path(), options);
    QTRY_VERIFY(workspace.checkpoints().rowCount() == 1 && workspace.checkpoints().current()->hasTokenizer());
    workspace.setText("prose");
    QTRY_VERIFY(workspace.current());
}

void WorkspaceTest::aCheckpointThatChangesOnDisk()
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("switchhead.fake")).toStdString();
    std::ofstream(file) << "weights";
    Workspace workspace(samples::fakeOpener(m_control));
    QSignalSpy changed(&workspace, &Workspace::changedOnDisk);
    workspace.open(file);
    QTRY_VERIFY(workspace.current());
    QCOMPARE(changed.size(), 0);
    std::ofstream(file) << "other weights, longer";
    workspace.setText("a");
    QTRY_COMPARE(changed.size(), 1);
    QTRY_VERIFY(workspace.current()); // what is in memory still answers
    std::filesystem::remove(file);
    workspace.setText("b");
    QTRY_VERIFY(workspace.current());
    QCOMPARE(changed.size(), 1); // said once
}

void WorkspaceTest::hostileTexts_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a space") << QByteArray(" ");
    QTest::newRow("line ends") << QByteArray("\n\n");
    QTest::newRow("tab") << QByteArray("\t");
    QTest::newRow("NUL") << QByteArray("a\0b", 3);
    QTest::newRow("ESC") << QByteArray("\x1b[31m");
    QTest::newRow("U+2028") << QByteArray("a\xe2\x80\xa8"
                                          "b");
    QTest::newRow("ZWJ") << QByteArray("a\xe2\x80\x8d"
                                       "b");
    QTest::newRow("U+202E") << QByteArray("\xe2\x80\xae"
                                          "abc");
    QTest::newRow("BOM") << QByteArray("\xef\xbb\xbf"
                                       "abc");
    QTest::newRow("angles") << QByteArray("a<b<c");
    QTest::newRow("script") << QByteArray("<script>alert(1)</script>");
    QTest::newRow("end of sequence") << QByteArray("</s>");
    QTest::newRow("CR-LF") << QByteArray("a\r\nb\r\n");
    QTest::newRow("invalid UTF-8") << QByteArray("\xff\xfe\xc3");
}

void WorkspaceTest::hostileTexts()
{
    QFETCH(QByteArray, bytes);
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.open("/x/switchhead.fake");
    workspace.setText("before");
    QTRY_VERIFY(workspace.current());
    workspace.selection().setBytes(core::ByteRange{0, 6});
    workspace.setText(bytes.toStdString());
    QTRY_VERIFY(workspace.current());
    QCOMPARE(workspace.trace()->text().text, bytes.toStdString()); // byte for byte
    const auto selected = workspace.selection().state().bytes;
    QVERIFY(!selected || selected->end <= static_cast<std::size_t>(bytes.size()));
}

void WorkspaceTest::selectionAdaptsToTheTrace()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.setText("one two three");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    widgets::SelectionState state = workspace.selection().state();
    state.router = workspace.trace()->sites.at(3)->address(1);
    state.expert = 2;
    state.bytes = core::ByteRange{4, 7};
    state.map = core::MapRef{{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Map, 1, 0};
    workspace.selection().setState(state);
    workspace.setText("one two four");
    QTRY_VERIFY(workspace.current());
    QVERIFY(workspace.selection().state() == state); // all of it still exists
    workspace.setText("one");
    QTRY_VERIFY(workspace.current());
    QVERIFY(!workspace.selection().state().bytes);
    QVERIFY(workspace.selection().state().router == state.router);
    workspace.open("/x/dense.fake");
    QTRY_VERIFY(workspace.idle() && m_control->alive == 2);
    QVERIFY(!workspace.selection().state().router);
    QVERIFY(!workspace.selection().state().expert);
    QVERIFY(workspace.selection().state().map);
}

void WorkspaceTest::endsWhileEverythingRuns()
{
    Workspace workspace(samples::fakeOpener(m_control));
    workspace.setText("some words");
    workspace.open("/x/switchhead.fake");
    QTRY_VERIFY(workspace.current());
    m_control->held = true;
    m_control->holdOpening = true;
    workspace.setText("work");
    workspace.tiles().tile(*workspace.selection().state().map, {0, 0, 1, 1, 1});
    workspace.open("/x/moa.fake");
    QTest::qWait(5);
} // the destructor ends all of it

QTEST_GUILESS_MAIN(WorkspaceTest)
#include "workspace_test.moc"
