// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace headscope::core {

/// The fields of one protobuf message in the order of the file. Nested messages are `bytes` that another reader walks.
class ProtobufFields
{
public:
    explicit ProtobufFields(std::string_view message) : m_rest(message) {}

    struct Field {
        std::uint32_t number = 0;
        std::uint64_t value = 0; // of a number
        std::string_view bytes;  // of a string or nested message
        bool isBytes = false;
    };
    /// nullopt at the end of the message, and where it stops making sense; ok() tells the two apart.
    std::optional<Field> next();
    bool ok() const { return m_ok; }
    /// The message ended inside a field: a file that was cut short.
    bool endedEarly() const { return m_endedEarly; }

private:
    std::optional<std::uint64_t> varint();
    std::optional<std::string_view> take(std::uint64_t size);
    bool skipGroup(std::uint32_t number);
    std::nullopt_t fail(bool early);

    std::string_view m_rest;
    bool m_ok = true;
    bool m_endedEarly = false;
};

} // namespace headscope::core
