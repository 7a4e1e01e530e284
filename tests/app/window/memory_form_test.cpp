// SPDX-License-Identifier: GPL-3.0-or-later
// Memory and segments of what is shown can be chosen; a text that is predicted worse than by a guess is said.
#include "app/window/central_pane.h"
#include "app/window/main_window.h"
#include "app/window/memory_form.h"
#include "app/window/message_area.h"
#include "app/window/workspace.h"
#include "core/families/model.h"
#include "core/trace/model_info.h"
#include "tests/app/window/window_fixture.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include <algorithm>

using namespace headscope;
using namespace headscope::app;

namespace {

/// A window over real checkpoints of the tests.
struct Fixture {
    Workspace workspace{[](const std::filesystem::path& path, const core::OpenOptions& options,
                           const core::Progress& progress) { return core::openModel(path, options, progress); }};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};

    Fixture() { window.show(); }
    static QString checkpoint(const char* name)
    {
        return QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/%1/model-100000.pth").arg(QLatin1String(name));
    }
    void settle() const
    {
        QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && (workspace.current() || !workspace.trace()), 20'000);
    }
    void open(const QString& path)
    {
        window.open(path);
        settle();
    }
    QAction* chooseMemory()
    {
        const auto actions = window.findChildren<QAction*>();
        const auto found = std::ranges::find_if(
            actions, [](const QAction* action) { return action->text() == QStringLiteral("Choose &memory…"); });
        return found == actions.end() ? nullptr : *found;
    }
    QString said() { return window.views().textMessages()->sentences().join(u'\n'); }
};

} // namespace

class MemoryFormTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void offersTheRunsOwnFirst();
    void opensAgainAsChosen();
    void faultB11_aTextPredictedWorseThanByAGuessIsSaid();
};

void MemoryFormTest::offersTheRunsOwnFirst()
{
    const MemoryForm untouched({.memoryBlocks = 1, .segment = 64}, {});
    QVERIFY(!untouched.memoryBlocks());
    QVERIFY(!untouched.segment());
    core::OpenOptions chosen;
    chosen.memoryBlocks = 0;
    chosen.segment = 16;
    const MemoryForm again({.memoryBlocks = 0, .segment = 16}, chosen);
    QCOMPARE(again.memoryBlocks(), std::optional<std::int64_t>(0));
    QCOMPARE(again.segment(), std::optional<std::int64_t>(16));
}

void MemoryFormTest::opensAgainAsChosen()
{
    Fixture f;
    QVERIFY(!f.chooseMemory()->isEnabled());
    f.window.setText("1 2 3 4 5 6 7 8 9");
    f.open(Fixture::checkpoint("switchhead_xl_memory"));
    QVERIFY(f.chooseMemory()->isEnabled());
    QCOMPARE(f.workspace.trace()->model->visibility.segmentsBack, std::int64_t{1});
    f.chooseMemory()->trigger();
    auto* form = f.window.findChild<MemoryForm*>();
    QVERIFY(form && form->isVisible());
    form->findChild<QSpinBox*>(QStringLiteral("memoryBlocks"))->setValue(4);
    form->findChild<QSpinBox*>(QStringLiteral("segment"))->setValue(6);
    form->accept();
    QTRY_COMPARE(f.workspace.checkpoints().rowCount(), 1);
    f.settle();
    QTRY_COMPARE(f.workspace.trace()->model->visibility.segmentsBack, std::int64_t{4});
    QCOMPARE(f.workspace.trace()->model->visibility.segment, std::int64_t{6});
}

void MemoryFormTest::faultB11_aTextPredictedWorseThanByAGuessIsSaid()
{
    Fixture f;
    f.window.setText("The old mill runs quietly past the river, and no one is here.");
    f.open(Fixture::checkpoint("switchhead_xl")); // its weights are random
    QTRY_VERIFY(f.said().contains(QStringLiteral("uniform guess among 192 tokens")));
    f.window.setText("");
    f.settle();
    QTRY_VERIFY(!f.said().contains(QStringLiteral("uniform guess")));
}

QTEST_MAIN(MemoryFormTest)
#include "memory_form_test.moc"
