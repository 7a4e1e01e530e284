// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/json_writer.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <ostream>

namespace headscope::core {

namespace {

constexpr std::size_t bufferBytes = 1 << 16;

} // namespace

JsonWriter::JsonWriter(std::ostream& out) : m_out(out)
{
    m_buffer.reserve(bufferBytes + 4096);
}

void JsonWriter::flush()
{
    m_out.write(m_buffer.data(), static_cast<std::streamsize>(m_buffer.size()));
    m_buffer.clear();
}

void JsonWriter::wrote()
{
    if (m_open.empty())
        m_buffer += '\n';
    if (m_open.empty() || m_buffer.size() >= bufferBytes)
        flush();
}

void JsonWriter::newLine()
{
    m_buffer += '\n';
    m_buffer.append(m_open.size(), ' ');
}

void JsonWriter::separate()
{
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (m_open.empty())
        return;
    Open& open = m_open.back();
    if (!open.empty)
        m_buffer += ',';
    if (open.layout == Layout::Lines)
        newLine();
    else if (!open.empty)
        m_buffer += ' ';
    open.empty = false;
}

void JsonWriter::begin(char bracket, Layout layout)
{
    separate();
    m_buffer += bracket;
    m_open.push_back({layout});
}

void JsonWriter::end(char bracket)
{
    const Open open = m_open.back();
    m_open.pop_back();
    if (open.layout == Layout::Lines && !open.empty)
        newLine();
    m_buffer += bracket;
    wrote();
}

void JsonWriter::key(std::string_view name)
{
    separate();
    string(name);
    m_buffer += ": ";
    m_afterKey = true;
}

void JsonWriter::null()
{
    separate();
    m_buffer += "null";
    wrote();
}

void JsonWriter::value(std::string_view text)
{
    separate();
    string(text);
    wrote();
}

void JsonWriter::value(bool truth)
{
    separate();
    m_buffer += truth ? "true" : "false";
    wrote();
}

void JsonWriter::value(float number)
{
    if (!std::isfinite(number))
        return null();
    separate();
    fmt::format_to(std::back_inserter(m_buffer), "{}", number);
    wrote();
}

void JsonWriter::value(double number)
{
    if (!std::isfinite(number))
        return null();
    separate();
    fmt::format_to(std::back_inserter(m_buffer), "{}", number);
    wrote();
}

void JsonWriter::integer(std::int64_t number)
{
    separate();
    fmt::format_to(std::back_inserter(m_buffer), "{}", number);
    wrote();
}

void JsonWriter::string(std::string_view text)
{
    std::string repaired;
    if (!isUtf8(text)) {
        repaired = toUtf8(text);
        text = repaired;
    }
    m_buffer += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (m_buffer += '\\') += c;
        else if (c == '\n')
            m_buffer += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            fmt::format_to(std::back_inserter(m_buffer), "\\u{:04x}", static_cast<unsigned>(c));
        else
            m_buffer += c;
    }
    m_buffer += '"';
}

} // namespace headscope::core
