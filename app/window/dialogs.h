// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <functional>

class QWidget;

namespace headscope::app {

struct FileQuestion {
    enum class Kind : std::uint8_t { Checkpoint, Folder, Tokenizer };

    Kind kind = Kind::Checkpoint;
    QString folder; // where it begins
};
/// Asks without stopping the window; `answer` gets the path unless the user gives up.
void askForPath(QWidget* window, const FileQuestion& question, std::function<void(const QString&)> answer);

void showAbout(QWidget* window);

} // namespace headscope::app
