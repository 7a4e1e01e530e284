// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_options.h"

#include "app/cli/printable.h"
#include "app/cli/read_bytes.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace headscope::app {

namespace {

constexpr std::string_view separators = ", \t\r\n";

/// The words of a list of ids.
std::vector<std::string_view> words(std::string_view list)
{
    std::vector<std::string_view> found;
    for (std::size_t at = list.find_first_not_of(separators); at != std::string_view::npos;) {
        const std::size_t end = std::min(list.find_first_of(separators, at), list.size());
        found.push_back(list.substr(at, end - at));
        at = list.find_first_not_of(separators, end);
    }
    return found;
}

bool isWholeNumber(std::string_view word)
{
    const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
    return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Ids of a list whose words are whole numbers.
std::vector<core::TokenId> parseIds(std::string_view list)
{
    std::vector<core::TokenId> ids;
    for (const std::string_view word : words(list)) {
        core::TokenId id = 0;
        if (std::from_chars(word.data(), word.data() + word.size(), id).ec != std::errc())
            throw core::Error(fmt::format("The id {} is out of range: ids go up to {}.", printable(word),
                                          std::numeric_limits<core::TokenId>::max()));
        ids.push_back(id);
    }
    return ids;
}

int used(const CLI::Option* option)
{
    return option != nullptr && option->count() > 0 ? 1 : 0;
}

} // namespace

void TextOptions::add(CLI::App& app, Role role, Ids ids)
{
    const bool target = role == Role::Target;
    m_textOption = app.add_option(target ? "--target" : "--text", m_text, target ? "the target text" : "the text; may be empty");
    m_textOption->type_name("TEXT");
    m_fileOption = app.add_option(target ? "--target-file" : "--file", m_file,
                                  target ? "the target text from a file" : "the text from a file, byte by byte; - is standard input");
    m_fileOption->type_name("FILE");
    if (ids == Ids::Refused)
        return;
    m_idsOption = app.add_option(target ? "--target-ids" : "--ids", m_ids,
                                 target ? "the target as token ids" : "token ids instead of a text: 15,126,157");
    m_idsOption->type_name("LIST");
}

std::string TextOptions::names() const
{
    std::string names = fmt::format("{}, {}", m_textOption->get_name(), m_fileOption->get_name());
    return m_idsOption == nullptr ? names : names + ", " + m_idsOption->get_name();
}

bool TextOptions::given() const
{
    return used(m_textOption) + used(m_fileOption) + used(m_idsOption) > 0;
}

void TextOptions::requireAtMostOne() const
{
    if (used(m_textOption) + used(m_fileOption) + used(m_idsOption) > 1)
        throw UsageError(fmt::format("Only one of {} can be given.", names()));
    for (const std::string_view word : words(m_ids)) {
        if (!isWholeNumber(word))
            throw UsageError(fmt::format("{} takes numbers, but {} is none.", m_idsOption->get_name(), printable(word)));
    }
}

void TextOptions::requireOne() const
{
    requireAtMostOne();
    if (!given())
        throw UsageError(fmt::format("Give a text with one of {}.", names()));
}

std::string TextOptions::bytes(const CommandContext& context) const
{
    if (used(m_textOption) > 0)
        return m_text;
    return m_file == "-" ? context.readStandardInput() : readBytes(m_file, context.stop);
}

core::TokenizedText TextOptions::read(const core::Model& model, const CommandContext& context, const core::Progress& progress) const
{
    if (used(m_idsOption) > 0)
        return model.tokensFromIds(parseIds(m_ids));
    return model.tokenize(bytes(context), progress);
}

} // namespace headscope::app
