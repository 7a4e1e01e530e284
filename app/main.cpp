// SPDX-License-Identifier: GPL-3.0-or-later
// headscope: the window, and the commands of headscope-cli with those that draw.
#include "app/cli/command_line.h"
#include "app/figures/report_pdf.h"
#include "app/window/program.h"
#include "app/window/show_command.h"

#include <array>

int main(int argc, char** argv)
{
    using namespace headscope::app;
    static constexpr std::array drawing{
        Command{"show", "draw the window into a picture and print the routing as a table", runShow, "give a shorter text"}};
    if (isCommandLine(argc, argv, drawing))
        return runCommandLine(argc, argv, drawing, writeReportPdfWithoutWindow);
    return runWindow(argc, argv);
}
