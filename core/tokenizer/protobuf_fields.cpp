// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/protobuf_fields.h"

#include <vector>

namespace headscope::core {

std::nullopt_t ProtobufFields::fail(bool early)
{
    m_ok = false;
    m_endedEarly = early;
    m_rest = {};
    return std::nullopt;
}

std::optional<std::uint64_t> ProtobufFields::varint()
{
    std::uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (m_rest.empty())
            return fail(true);
        const auto byte = static_cast<std::uint8_t>(m_rest.front());
        m_rest.remove_prefix(1);
        result |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80)
            return result;
    }
    return fail(false);
}

std::optional<std::string_view> ProtobufFields::take(std::uint64_t size)
{
    if (size > m_rest.size())
        return fail(true);
    const std::string_view result = m_rest.substr(0, size);
    m_rest.remove_prefix(size);
    return result;
}

/// To the end of a group, an old form of nested message that protobuf's own reader passes over.
bool ProtobufFields::skipGroup(std::uint32_t number)
{
    constexpr std::size_t deepest = 100;
    for (std::vector<std::uint32_t> open{number}; !open.empty();) {
        const auto key = varint();
        if (!key)
            return false;
        const auto inner = static_cast<std::uint32_t>(*key >> 3);
        switch (*key & 7U) {
        case 0:
            if (!varint())
                return false;
            break;
        case 1:
        case 5:
            if (!take((*key & 7U) == 1 ? 8 : 4))
                return false;
            break;
        case 2:
            if (const auto size = varint(); !size || !take(*size))
                return false;
            break;
        case 3:
            if (open.size() == deepest)
                return fail(false), false;
            open.push_back(inner);
            break;
        case 4:
            if (inner != open.back())
                return fail(false), false;
            open.pop_back();
            break;
        default:
            return fail(false), false;
        }
    }
    return true;
}

std::optional<ProtobufFields::Field> ProtobufFields::next()
{
    if (m_rest.empty())
        return std::nullopt;
    const auto key = varint();
    if (!key)
        return std::nullopt;
    constexpr std::uint64_t largestNumber = (1U << 29) - 1;
    if (*key >> 3 == 0 || *key >> 3 > largestNumber)
        return fail(false);
    Field field{.number = static_cast<std::uint32_t>(*key >> 3), .value = 0, .bytes = {}, .isBytes = false};
    const auto skip = [&](std::uint64_t size) { return take(size).has_value(); };
    switch (*key & 7U) {
    case 0:
        if (const auto value = varint()) {
            field.value = *value;
            return field;
        }
        return std::nullopt;
    case 1:
        return skip(8) ? std::optional(field) : std::nullopt;
    case 2: {
        const auto size = varint();
        const auto bytes = size ? take(*size) : std::nullopt;
        if (!bytes)
            return std::nullopt;
        field.bytes = *bytes;
        field.isBytes = true;
        return field;
    }
    case 3:
        return skipGroup(field.number) ? std::optional(field) : std::nullopt;
    case 5:
        return skip(4) ? std::optional(field) : std::nullopt;
    default:
        return fail(false);
    }
}

} // namespace headscope::core
