// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/report.h"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::app {

/// What a command sees of the world. Results go to `out`, everything else to `err`.
struct CommandContext {
    std::string program = "headscope-cli"; // as it is to be typed
    std::ostream& out;
    std::ostream& err;
    bool errIsTerminal = false; // then progress is shown
    std::stop_token stop;
    std::function<void()> asked = {}; // core::Progress::asked, from any thread
    std::function<std::string()> readStandardInput; // to its end; throws core::Cancelled
    /// Writes a report as PDF; empty in a program that cannot draw.
    std::function<void(const std::filesystem::path& path, const core::Report& report)> writePdf = {};
};

/// The line is malformed. Ends the program with ExitCode::WrongUsage.
class UsageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

using Arguments = std::vector<std::string>;

/// One word of the command line, as in `headscope trace …`. `run` gets what follows the word and throws core::Error (the input is wrong),
/// UsageError, core::Cancelled.
struct Command {
    std::string_view name;
    std::string_view summary; // one line for --help
    void (*run)(const Arguments& arguments, const CommandContext& context) = nullptr;
    std::string_view sparing = {}; // what takes less memory: "give a shorter text"
};

void runCompare(const Arguments& arguments, const CommandContext& context);
void runSeries(const Arguments& arguments, const CommandContext& context);
void runInfo(const Arguments& arguments, const CommandContext& context);
void runSpecialize(const Arguments& arguments, const CommandContext& context);
void runTokenize(const Arguments& arguments, const CommandContext& context);
void runTrace(const Arguments& arguments, const CommandContext& context);
void runCount(const Arguments& arguments, const CommandContext& context);
void runContexts(const Arguments& arguments, const CommandContext& context);
void runMerge(const Arguments& arguments, const CommandContext& context);

} // namespace headscope::app
