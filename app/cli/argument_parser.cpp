// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"

#include "core/checkpoint/files_in_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ostream>

namespace headscope::app {

namespace {

namespace fs = std::filesystem;

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names)
{
    return std::ranges::find(names, name) != names.end();
}

/// Values that may be empty: a text is what it is.
bool isFree(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    return type.starts_with("TEXT") || type.starts_with("LIST");
}

/// Positionals are checkpoints, corpora and counts; of options the name of the value says it.
bool namesFile(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    return option.get_positional() || std::ranges::any_of(std::array{"FILE", "FOLDER", "PATH", "PICTURE", "MODEL"},
                                                          [&type](const char* word) { return type.starts_with(word); });
}

void checkValue(const CLI::Option& option, const std::string& value)
{
    const std::string name = option.get_name();
    if (value.empty() && !isFree(option))
        throw UsageError(fmt::format("{} is empty; give {}.", name,
                                     option.get_positional() ? "the path of a file"
                                     : namesFile(option)     ? "the path of a file, or leave it out"
                                                             : "it a value, or leave it out"));
    if (value != "-" || !namesFile(option) || isOneOf(name, {"--file", "--target-file"}))
        return;
    if (isOneOf(name, {"--out", "--report"}))
        throw UsageError(fmt::format("{} - names no file; /dev/stdout is standard output.", name));
    throw UsageError(fmt::format(
        "Standard input (-) cannot be read as {}; save it into a file first, and give its path (a file named - is ./-).",
        name));
}

/// What the line names is known as read from here on, before anything is opened.
void noteInput(const CLI::Option& option, const fs::path& path)
{
    if (!namesFile(option) || isOneOf(option.get_name(), {"--out", "--report"}))
        return;
    std::error_code ignored;
    if (path == "-")
        core::noteRead("/dev/stdin"); // it may be a file
    else if (!fs::is_directory(path, ignored))
        core::noteRead(path);
    else if (isOneOf(option.get_name(), {"CORPUS", "--corpus"})) // new names in the folder of a run are fine
        core::noteCorpusFolder(path);
}

} // namespace

namespace {

/// What an option excludes and needs is in its description, or is said when it is given; CLI11 lists it in the order of
/// addresses.
class PlainFormatter : public CLI::Formatter
{
public:
    std::string make_option_opts(const CLI::Option* option) const override
    {
        std::string options = CLI::Formatter::make_option_opts(option);
        for (const char* list : {" Needs: ", " Excludes: "})
            options = options.substr(0, options.find(list));
        return options;
    }
};

} // namespace

ArgumentParser::ArgumentParser(const CommandContext& context, std::string_view command, std::string_view description)
    : m_context(context), m_name(fmt::format("{} {}", context.program, command)), m_app(std::string(description), m_name)
{
    m_app.formatter(std::make_shared<PlainFormatter>());
    m_app.get_formatter()->column_width(34);
    m_app.get_formatter()->label("REQUIRED", "");
}

/// CLI11 takes the next argument for the value of `--text=`; as two arguments, `--text` and an empty one, it does not.
Arguments ArgumentParser::withSeparateEmptyValues(const Arguments& arguments) const
{
    Arguments separate;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument == "--") {
            separate.insert(separate.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
            break;
        }
        const bool endsWithEquals = argument.size() > 3 && argument.starts_with("--") && argument.find('=') == argument.size() - 1;
        const std::string name = endsWithEquals ? argument.substr(0, argument.size() - 1) : argument;
        const CLI::Option* const option = name.starts_with("--") ? m_app.get_option_no_throw(name) : nullptr;
        const bool hasValue = option != nullptr && option->get_items_expected_min() > 0;
        if (endsWithEquals && hasValue) {
            separate.push_back(name);
            separate.emplace_back();
            continue;
        }
        separate.push_back(argument);
        if (hasValue && i + 1 < arguments.size())
            separate.push_back(arguments[++i]);
    }
    return separate;
}

ArgumentParser::Outcome ArgumentParser::parse(const Arguments& arguments)
{
    Arguments reversed = withSeparateEmptyValues(arguments);
    std::reverse(reversed.begin(), reversed.end());
    try {
        m_app.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        m_context.out << m_app.help();
        return Outcome::HelpPrinted;
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; `{} --help` shows how the line is written.", error.what(), m_name));
    }
    for (const CLI::Option* const option : static_cast<const CLI::App&>(m_app).get_options()) {
        if (option->get_items_expected_max() == 0)
            continue; // a flag
        for (const std::string& value : option->results()) {
            checkValue(*option, value);
            noteInput(*option, value);
        }
    }
    return Outcome::Parsed;
}

} // namespace headscope::app
