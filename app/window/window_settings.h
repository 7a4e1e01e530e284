// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/compare_choices.h"
#include "app/window/theme_choice.h"
#include "core/missing_parameters.h"

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVariantMap>

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
    CompareChoices compare;
    QVariantMap parameters; // of a path: the hyper-parameters that the user gave for it, a map

    static WindowSettings load();
    void save() const;
    /// Puts a path in front of the recent ones.
    void remember(const QString& path);
    void forget(const QString& path);
    core::GivenParameters parametersOf(const QString& path) const;
    void setParameters(const QString& path, const core::GivenParameters& given); // none: forgets them
};

} // namespace headscope::app
