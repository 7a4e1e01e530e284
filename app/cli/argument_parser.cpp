// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace headscope::app {

ArgumentParser::ArgumentParser(const CommandContext& context, std::string_view command, std::string_view description)
    : m_context(context), m_name(fmt::format("{} {}", context.program, command)), m_app(std::string(description), m_name)
{
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
        return Outcome::Parsed;
    } catch (const CLI::CallForHelp&) {
        m_context.out << m_app.help();
        return Outcome::HelpPrinted;
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; `{} --help` shows how the line is written.", error.what(), m_name));
    }
}

} // namespace headscope::app
