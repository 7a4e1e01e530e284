// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Writes JSON to a stream as it goes, so that a long trace is never held a second time. What it writes is always valid JSON
/// in valid UTF-8: numbers that are not finite become null, and broken UTF-8 becomes U+FFFD. Floats are written with the
/// fewest digits that give the same float back. The stream has everything once the outermost value is complete: nothing is
/// left for a destructor, which could not tell of a full disk. Not thread-safe.
class JsonWriter
{
public:
    /// Whether the members of an object or an array stand on lines of their own.
    enum class Layout : std::uint8_t { Lines, OneLine };

    explicit JsonWriter(std::ostream& out);
    ~JsonWriter() = default;
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    void beginObject(Layout layout = Layout::Lines) { begin('{', layout); }
    void endObject() { end('}'); }
    void beginArray(Layout layout = Layout::Lines) { begin('[', layout); }
    void endArray() { end(']'); }
    void key(std::string_view name);

    void null();
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(const std::string& text) { value(std::string_view(text)); }
    void value(bool truth);
    void value(float number);
    void value(double number);
    template<std::integral Integer>
    void value(Integer number)
    {
        integer(static_cast<std::int64_t>(number));
    }

    template<typename Value>
    void member(std::string_view name, const Value& what)
    {
        key(name);
        value(what);
    }

    /// Hands what has been written so far to the stream.
    void flush();

private:
    struct Open {
        Layout layout;
        bool empty = true;
    };

    void begin(char bracket, Layout layout);
    void end(char bracket);
    void separate();
    void newLine();
    void integer(std::int64_t number);
    void string(std::string_view text);
    void wrote();

    std::ostream& m_out;
    std::string m_buffer;
    std::vector<Open> m_open;
    bool m_afterKey = false;
};

} // namespace headscope::core
