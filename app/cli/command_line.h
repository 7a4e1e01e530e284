// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

#include <span>
#include <string_view>

namespace headscope::app {

/// "0.1.0"
std::string_view version();

/// Whether the line asks for a command (`more` are commands a program has besides the common ones), for help or for the
/// version, or holds a word that is neither that nor a file, which is for the command line to say. A line of files (and of
/// Qt's options) belongs to the window.
bool isCommandLine(int argc, char** argv, std::span<const Command> more = {});

/// The whole of headscope-cli: runs the command of the line with the standard streams and with Ctrl-C as a stop request. Returns the
/// exit code. Call it first in main, before any thread exists.
int runCommandLine(int argc, char** argv, std::span<const Command> more = {},
                   std::function<void(const std::filesystem::path&, const core::Report&)> writePdf = {});

/// The same on given streams. `arguments` are those after the program's name.
int runCommands(const Arguments& arguments, const CommandContext& context, std::span<const Command> more = {});

} // namespace headscope::app
