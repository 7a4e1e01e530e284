// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_session.h"
#include "widgets/theme.h"

class QApplication;

namespace headscope::app {

/// Names, style and picture of the program. Returns the theme that the desktop asks for.
widgets::Theme::Kind prepareProgram(QApplication& program);

/// core::openModel.
ModelOpener modelOpener();

/// The window: `headscope [MODEL…]`. Without a model it opens the demonstration checkpoint. Returns the exit code.
int runWindow(int argc, char** argv);

} // namespace headscope::app
