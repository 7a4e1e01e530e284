// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_line.h"

#include "app/cli/exit_code.h"
#include "app/cli/interrupts.h"
#include "app/cli/nearest_word.h"
#include "app/cli/printable.h"
#include "app/cli/process.h"
#include "app/cli/read_bytes.h"
#include "core/checkpoint/files_in_use.h"
#include "core/error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

namespace headscope::app {

namespace {

constexpr std::string_view shorterText = "give a shorter text, or keep less of it";
constexpr std::string_view fewerWindows = "run fewer windows at the same time (--threads, --batch), or a part of the corpus";

constexpr std::array commonCommands{
    Command{"info", "what a checkpoint is: family, sizes, routers, where every hyper-parameter comes from", runInfo},
    Command{"tokenize", "a text as the checkpoint's tokenizer cuts it, with byte ranges", runTokenize,
            "give a shorter text"},
    Command{"trace", "run a text: chosen experts with gates, attention maps, loss", runTrace, shorterText},
    Command{"count", "run a corpus and count which expert every router gives every token", runCount, fewerWindows},
    Command{"merge", "add up the counts of the parts of a corpus", runMerge},
    Command{"compare", "two checkpoints on the same text: matched experts, agreement against chance, losses", runCompare,
            shorterText},
    Command{"series", "the checkpoints of one run on the same text: how routing settles", runSeries, "give a shorter text"},
    Command{"specialize", "which tokens belong to which expert: tables with statistics over a corpus", runSpecialize},
    Command{"contexts", "where a token stands in a corpus, sorted by an expert's gate, with counter-examples", runContexts,
            fewerWindows},
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
    return argument == "--help" || argument == "-h" || argument == "help";
}

bool asksForVersion(std::string_view argument)
{
    return argument == "--version" || argument == "version";
}

bool isThere(const std::string& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// Whether a line can be one for the window: files, and options that Qt takes out of it.
bool isForWindow(std::span<char* const> words)
{
    constexpr std::array withValue{"platform",    "platformpluginpath", "platformtheme", "plugin",     "qwindowgeometry",
                                   "qwindowicon", "qwindowtitle",       "style",         "stylesheet", "session",
                                   "display",     "geometry",           "fontengine",    "name",       "title",
                                   "icon"};
    constexpr std::array alone{"reverse", "widgetcount", "nograb", "dograb", "sync"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const std::string_view option = word.starts_with("--")  ? word.substr(2)
                                        : word.starts_with('-') ? word.substr(1)
                                                                : std::string_view();
        const std::string_view name = option.substr(0, option.find('='));
        if (!option.empty() && std::ranges::find(withValue, name) != withValue.end())
            i += name.size() == option.size() ? 1 : 0;
        else if ((option.empty() || std::ranges::find(alone, name) == alone.end()) && !isThere(words[i]))
            return false;
    }
    return true;
}

void printHelp(const CommandContext& context, std::span<const Command> more)
{
    context.out << fmt::format("Headscope {}: a desktop instrument for mixture-of-attention-head models\n\n", version())
                << fmt::format("Usage: {0} COMMAND …\n       {0} help [COMMAND]\n       {0} version\n", context.program);
    if (!more.empty()) // the program with the window
        context.out << fmt::format("       {} [MODEL…]          the window\n", context.program);
    context.out << '\n';
    for (const std::span<const Command> commands : {std::span<const Command>(commonCommands), more}) {
        for (const Command& command : commands)
            context.out << fmt::format("  {:<10} {}\n", command.name, command.summary);
    }
    context.out << "\nExit status: 0 done, 1 the input is wrong (one sentence says why), 2 wrong usage, 130 cancelled.\n";
}

/// What no command is called.
UsageError noCommand(const std::string& word, const CommandContext& context, std::span<const Command> more)
{
    std::vector<std::string_view> names{"help", "version"};
    for (const std::span<const Command> commands : {std::span<const Command>(commonCommands), more})
        std::ranges::transform(commands, std::back_inserter(names), &Command::name);
    if (word.empty())
        return UsageError(fmt::format("The first word is empty; give a command, `{} --help` lists them.", context.program));
    if (const auto nearest = nearestWord(word, names))
        return UsageError(fmt::format("{} is neither a command nor a file; did you mean {}? `{} --help` lists the commands.",
                                      printable(word), *nearest, context.program));
    if (isThere(word))
        return UsageError(
            fmt::format("{} is a file and no command; `{} info {}` says what it is, `{} --help` lists the commands.",
                        printable(word), context.program, printable(word), context.program));
    return UsageError(fmt::format("There is neither a command nor a file {}; `{} --help` lists the commands.",
                                  printable(word), context.program));
}

void help(const Arguments& words, const CommandContext& context, std::span<const Command> more)
{
    if (words.empty() || asksForHelp(words.front()))
        return printHelp(context, more);
    if (asksForVersion(words.front())) {
        context.out << fmt::format("{} version prints the version of the program.\n", context.program);
        return;
    }
    const Command* const command = findCommand(words.front(), more);
    if (command == nullptr)
        throw noCommand(words.front(), context, more);
    command->run({"--help"}, context);
}

void dispatch(const Arguments& arguments, const CommandContext& context, std::span<const Command> more)
{
    if (arguments.empty())
        throw UsageError(fmt::format("Give a command; `{} --help` lists them.", context.program));
    const std::string& first = arguments.front();
    const Arguments rest(arguments.begin() + 1, arguments.end());
    if (asksForHelp(first))
        return help(rest, context, more);
    if (asksForVersion(first)) {
        context.out << "Headscope " << version() << '\n';
        return;
    }
    if (const Command* const command = findCommand(first, more))
        return command->run(rest, context);
    // Of a line of files with one wrong word it is that word that is to be spoken of.
    const auto wrong = std::ranges::find_if(arguments, [](const std::string& word) { return !isThere(word); });
    throw noCommand(more.empty() || wrong == arguments.end() ? first : *wrong, context, more);
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

int failForMemory(const CommandContext& context, const Arguments& arguments, std::span<const Command> more)
{
    const Command* const command = arguments.empty() ? nullptr : findCommand(arguments.front(), more);
    const std::string_view sparing = command != nullptr && !command->sparing.empty()
                                         ? command->sparing
                                         : "close other programs or raise the limit (ulimit -v)";
    return fail(context, ExitCode::WrongInput, fmt::format("There is not enough memory for this; {}.", sparing));
}

/// What libraries throw in the place of bad_alloc: no thread can be started, LibTorch has no room for a tensor.
bool isOutOfMemory(const std::exception& error)
{
    const auto* const system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr &&
        (system->code() == std::errc::resource_unavailable_try_again || system->code() == std::errc::not_enough_memory))
        return true;
    return std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
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
    return asksForHelp(first) || asksForVersion(first) || findCommand(first, more) != nullptr ||
           !isForWindow({argv + 1, static_cast<std::size_t>(argc - 1)});
}

int runCommands(const Arguments& arguments, const CommandContext& context, std::span<const Command> more)
{
    const core::FilesInUse inputs(core::FilesInUse::Readers::AllThreads); // nothing that it reads is written over
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
        return failForMemory(context, arguments, more);
    } catch (const std::exception& error) {
        if (isOutOfMemory(error))
            return failForMemory(context, arguments, more);
        return fail(context, ExitCode::WrongInput,
                    fmt::format("Headscope met something it has no better words for: {}", firstLine(error.what())));
    }
}

int runCommandLine(int argc, char** argv, std::span<const Command> more,
                   std::function<void(const std::filesystem::path&, const core::Report&)> writePdf)
try {
    prepareProcess();
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
} catch (const std::exception&) { // before the command began: no room for a thread or for the words of the line
    std::cerr << "error: There is not enough memory to run Headscope; close other programs or raise the limit (ulimit -v)."
              << std::endl;
    return static_cast<int>(ExitCode::WrongInput);
}

} // namespace headscope::app
