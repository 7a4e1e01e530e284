// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/theme_choice.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace headscope::app {

/// What the window remembers from one start to the next.
struct WindowSettings {
    static constexpr qsizetype mostRecent = 9;

    QByteArray geometry; // of QMainWindow
    QByteArray docks;    // QMainWindow::saveState
    QByteArray splitter;
    ThemeChoice theme = ThemeChoice::System;
    QStringList recent; // paths, latest first
    QString folder;     // where files were opened last

    static WindowSettings load();
    void save() const;
    /// Puts a path in front of the recent ones.
    void remember(const QString& path);
};

} // namespace headscope::app
