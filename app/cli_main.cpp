// SPDX-License-Identifier: GPL-3.0-or-later
// headscope-cli: the commands that need no drawing, without Qt.
#include "app/cli/command_line.h"

int main(int argc, char** argv)
{
    return headscope::app::runCommandLine(argc, argv);
}
