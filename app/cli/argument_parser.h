// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope::app {

/// The options of one command. CLI11 with these differences: an empty value is a value (`--text ""` and `--text=`), what
/// follows an option with one value is always its value (`--text --json`), and a malformed line is a UsageError: so are an
/// empty value where the option takes no text, and `-` where a file is named that cannot be standard input. Every file that
/// the line names as an input is noted as read (core::noteRead), whatever the command does with it.
class ArgumentParser
{
public:
    enum class Outcome : std::uint8_t { Parsed, HelpPrinted };

    ArgumentParser(const CommandContext& context, std::string_view command, std::string_view description);

    CLI::App& app() { return m_app; }
    [[nodiscard]] Outcome parse(const Arguments& arguments);

private:
    Arguments withSeparateEmptyValues(const Arguments& arguments) const;

    const CommandContext& m_context;
    std::string m_name; // "headscope-cli trace"
    CLI::App m_app;
};

} // namespace headscope::app
