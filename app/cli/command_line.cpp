// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"

#include "app/cli/exit_code.h"
#include "app/cli/interrupts.h"
#include "app/cli/printable.h"
#include "app/cli/read_bytes.h"
#include "core/error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <new>

namespace headscope::app {

namespace {

constexpr std::array commonCommands{
    Command{"info", "what a checkpoint is: family, sizes, routers, where every hyper-parameter comes from", runInfo},
    Command{"tokenize", "a text as the checkpoint's tokenizer cuts it, with byte ranges", runTokenize},
    Command{"trace", "run a text: chosen experts with gates, attention maps, loss", runTrace},
    Command{"count", "run a corpus and count which expert every router gives every token", runCount},
    Command{"merge", "add up the counts of the parts of a corpus", runMerge},
    Command{"compare", "two checkpoints on the same text: matched experts, agreement against chance, losses", runCompare},
    Command{"series", "the checkpoints of one run on the same text: how routing settles", runSeries},
    Command{"specialize", "which tokens belong to which expert: tables with statistics over a corpus", runSpecialize},
    Command{"contexts", "where a token stands in a corpus, sorted by an expert's gate, with counter-examples", runContexts},
};

const Command* findCommand(std::string_view name, std::span<const Command> more)
{
    const auto in = [name](std::span<const Command> commands) -> const Command* {
        const auto found = std::find_if(commands.begin(), commands.end(), [name](const Command& c) { return c.name == name; });
        return found == commands.end() ? nullptr : &*found;
    };
    const Command* const common = in(commonCommands);
    return common != nullptr ? common : in(more);
}

bool asksForHelp(std::string_view argument)
{
    return argument == "--help" || argument == "-h";
}

void printHelp(const CommandContext& context, std::span<const Command> more)
{
    context.out << fmt::format("Headscope {}: a desktop instrument for mixture-of-attention-head models\n\n", version())
                << fmt::format("Usage: {0} COMMAND …\n       {0} COMMAND --help\n       {0} --version\n\n", context.program);
    for (const std::span<const Command> commands : {std::span<const Command>(commonCommands), more}) {
        for (const Command& command : commands)
            context.out << fmt::format("  {:<10} {}\n", command.name, command.summary);
    }
    context.out << "\nExit status: 0 done, 1 the input is wrong (one sentence says why), 2 wrong usage, 130 cancelled.\n";
}

void dispatch(const Arguments& arguments, const CommandContext& context, std::span<const Command> more)
{
    if (arguments.empty())
        throw UsageError(fmt::format("Give a command; `{} --help` lists them.", context.program));
    const std::string& first = arguments.front();
    if (asksForHelp(first))
        return printHelp(context, more);
    if (first == "--version") {
        context.out << "Headscope " << version() << '\n';
        return;
    }
    const Command* const command = findCommand(first, more);
    if (command == nullptr)
        throw UsageError(fmt::format("There is no command {}; `{} --help` lists them.", printable(first), context.program));
    command->run(Arguments(arguments.begin() + 1, arguments.end()), context);
}

void requireWritten(std::ostream& out)
{
    if (!out.flush())
        throw core::Error("The results could not be written to standard output; the disk may be full.");
}

int fail(const CommandContext& context, ExitCode code, std::string_view sentence)
{
    context.err << "error: " << printable(sentence) << std::endl;
    return static_cast<int>(code);
}

std::string_view firstLine(std::string_view text)
{
    return text.substr(0, text.find('\n'));
}

} // namespace

std::string_view version()
{
    return HEADSCOPE_VERSION;
}

bool isCommandLine(int argc, char** argv, std::span<const Command> more)
{
    if (argc < 2)
        return false;
    const std::string_view first = argv[1];
    return asksForHelp(first) || first == "--version" || findCommand(first, more) != nullptr;
}

int runCommands(const Arguments& arguments, const CommandContext& context, std::span<const Command> more)
{
    try {
        dispatch(arguments, context, more);
        requireWritten(context.out);
        return static_cast<int>(ExitCode::Done);
    } catch (const UsageError& error) {
        return fail(context, ExitCode::WrongUsage, error.what());
    } catch (const core::Cancelled&) {
        return static_cast<int>(ExitCode::Cancelled);
    } catch (const core::Error& error) {
        return fail(context, ExitCode::WrongInput, error.what());
    } catch (const std::bad_alloc&) {
        return fail(context, ExitCode::WrongInput, "There is not enough memory for this; give a shorter text, or keep less of it.");
    } catch (const std::exception& error) {
        return fail(context, ExitCode::WrongInput,
                    fmt::format("Headscope met something it has no better words for: {}", firstLine(error.what())));
    }
}

int runCommandLine(int argc, char** argv, std::span<const Command> more,
                   std::function<void(const std::filesystem::path&, const core::Report&)> writePdf)
{
    const Interrupts interrupts;
    const std::stop_token stop = interrupts.token();
    const CommandContext context{
        .program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "headscope-cli",
        .out = std::cout,
        .err = std::cerr,
        .errIsTerminal = isatty(STDERR_FILENO) == 1,
        .stop = stop,
        .readStandardInput = [stop] { return readDescriptor(STDIN_FILENO, "Standard input", stop); },
        .writePdf = std::move(writePdf),
    };
    return runCommands(Arguments(argv + std::min(argc, 1), argv + argc), context, more);
}

} // namespace headscope::app
