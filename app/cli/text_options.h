// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "core/families/model.h"

#include <cstdint>
#include <string>

namespace CLI {
class App;
class Option;
}

namespace headscope::app {

/// The ways to give a text: --text, --file and, where a command takes them, --ids; for a target --target, --target-file, --target-ids.
/// Has to outlive the parsing.
class TextOptions
{
public:
    enum class Role : std::uint8_t { Text, Target };
    enum class Ids : std::uint8_t { Refused, Taken };

    void add(CLI::App& app, Role role, Ids ids);
    bool given() const;
    /// Throws UsageError unless exactly one way was used and a list of ids is one.
    void requireOne() const;
    /// As requireOne, but none is fine too.
    void requireAtMostOne() const;
    /// The bytes of --text or of the file.
    std::string bytes(const CommandContext& context) const;
    /// Reads the file if there is one and makes tokens as the model was trained to see them.
    core::TokenizedText read(const core::Model& model, const CommandContext& context, const core::Progress& progress) const;

private:
    std::string names() const;

    CLI::Option* m_textOption = nullptr;
    CLI::Option* m_fileOption = nullptr;
    CLI::Option* m_idsOption = nullptr;
    std::string m_text;
    std::string m_file;
    std::string m_ids;
};

} // namespace headscope::app
