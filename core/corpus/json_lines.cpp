// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/json_lines.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"
#include "core/error.h"

#include <fmt/format.h>

#include <utility>

namespace headscope::core {
namespace {

constexpr std::size_t longestLine = 64U << 20;

std::string namesOf(const nlohmann::json& object)
{
    constexpr std::size_t most = 12;
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, value] : object.items()) {
        if (count++ == most)
            return names + ", …";
        names += (names.empty() ? "" : ", ") + quotedName(name);
    }
    return names.empty() ? "none" : names;
}

} // namespace

JsonLines::JsonLines(CorpusBytes& bytes, const CorpusFile& file, std::string field)
    : m_bytes(bytes), m_file(file), m_field(std::move(field)), m_place(bytes.markBytes())
{
}

void JsonLines::fail(const std::string& what) const
{
    throw Error(fmt::format("{}, line {}: {}.", shown(m_file.path), m_line, what));
}

std::optional<std::string> JsonLines::line()
{
    for (std::size_t searched = m_used;;) {
        const std::size_t end = m_buffer.find('\n', searched);
        if (end != std::string::npos || (m_ended && m_used < m_buffer.size())) {
            const std::size_t size = (end == std::string::npos ? m_buffer.size() : end) - m_used;
            std::string found = m_buffer.substr(m_used, size);
            const std::size_t taken = size + (end == std::string::npos ? 0 : 1);
            m_used += taken;
            m_place += taken;
            ++m_line;
            return found;
        }
        if (m_ended)
            return std::nullopt;
        m_buffer.erase(0, std::exchange(m_used, 0));
        searched = m_buffer.size();
        if (searched > longestLine) {
            ++m_line;
            fail(fmt::format("it is longer than {} MB; a document of this size has to be a text file", longestLine >> 20));
        }
        const std::string more = m_bytes.read();
        m_ended = more.empty();
        m_buffer += more;
    }
}

std::optional<JsonLines::Text> JsonLines::next()
{
    for (;;) {
        Text found{.begin = m_place, .text = {}};
        const auto text = line();
        if (!text)
            return std::nullopt;
        if (text->find_first_not_of(" \t\r") == std::string::npos)
            continue;
        const auto object = parseStrictJson(*text, fmt::format("{}, line {}", shown(m_file.path), m_line));
        if (!object.is_object())
            fail("it is no JSON object");
        const auto field = object.find(m_field);
        if (field == object.end())
            fail(fmt::format("it has no field {}; it has {}", quotedName(m_field), namesOf(object)));
        if (!field->is_string())
            fail(fmt::format("its field {} is no text", quotedName(m_field)));
        found.text = field->get<std::string>();
        return found;
    }
}

std::string fieldsOfFirstLine(const CorpusFile& file)
{
    CorpusBytes bytes(file);
    std::string head;
    while (head.find('\n') == std::string::npos && head.size() < longestLine) {
        const std::string more = bytes.read();
        if (more.empty())
            break;
        head += more;
    }
    const auto object = nlohmann::json::parse(head.substr(0, head.find('\n')), nullptr, false);
    return object.is_object() ? namesOf(object) : std::string();
}

} // namespace headscope::core
