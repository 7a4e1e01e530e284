// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/main_window.h"
#include "tests/app/window/fake_model.h"

#include <QTest>

#include <algorithm>
#include <memory>

namespace headscope::samples {

/// A window over fake models.
struct WindowFixture {
    std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
    app::Workspace workspace{fakeOpener(control)};
    app::MainWindow window{workspace, app::MainWindow::Memory::None, widgets::Theme::Kind::Light};

    WindowFixture()
    {
        window.resize(1100, 760);
        window.show();
    }
    void settle() const { QTRY_VERIFY(workspace.idle() && (workspace.current() || !workspace.trace())); }
    void openAndSettle(const char* name)
    {
        window.open(QString::fromLatin1(name));
        settle();
    }
};

inline bool containsVisible(const QStringList& sentences, const QString& part)
{
    return std::any_of(sentences.begin(), sentences.end(), [&](const QString& sentence) { return sentence.contains(part); });
}

} // namespace headscope::samples
