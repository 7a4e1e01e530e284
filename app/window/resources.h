// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::app {

/// The folder that holds demo/: HEADSCOPE_RESOURCES when it is set, else `resources` of the source tree above the program,
/// else
/// `../share/headscope` of an installation. nullopt when there is none.
std::optional<std::filesystem::path> resourceFolder();
/// The demonstration checkpoints that are there; the first one is that of the first start.
std::vector<std::filesystem::path> demoCheckpoints();

struct SampleText {
    QString title;
    std::string text;
};
/// Built into the program; the first one is shown at the first start.
std::vector<SampleText> sampleTexts();

/// A built-in symbol in this colour, sharp at 1x and 2x. Its disabled form is faded.
QIcon symbol(const QString& name, const QColor& color);
QIcon programIcon();

} // namespace headscope::app
