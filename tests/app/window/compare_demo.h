// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"

#include <QTabWidget>
#include <QTest>

namespace headscope::samples {

/// The demonstration checkpoints: SwitchHead and MoA.
struct CompareDemo {
    app::Workspace workspace{app::modelOpener()};
    app::MainWindow window{workspace, app::MainWindow::Memory::None, widgets::Theme::Kind::Light};

    CompareDemo()
    {
        window.resize(1280, 860);
        window.setText("She could not believe the letter that the old man of the house had written to them.");
        window.show();
        window.views().pages()->setCurrentWidget(&window.compare());
        const auto demos = app::demoCheckpoints();
        workspace.open(demos.at(0));
        settle();
        workspace.open(demos.at(1), {}, app::Slot::B);
        settle();
    }
    app::CompareController& controller() { return window.compare().controller(); }
    widgets::CompareView& view() { return window.compare().view(); }
    const core::Comparison& shown() { return *view().models().comparison; }
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && workspace.current() && controller().idle(), 120000); }
    core::Comparison computed() const { return core::compareTraces({workspace.trace(), workspace.secondTrace()}, {}); }
};

} // namespace headscope::samples
