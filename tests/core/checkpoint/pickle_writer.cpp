// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/checkpoint/pickle_writer.h"

#include <bit>

namespace headscope::test {
namespace {

template <typename Number>
std::string_view asBytes(const Number& number)
{
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

} // namespace

PickleWriter& PickleWriter::integer(std::int64_t value)
{
    if (value >= 0 && value < 256)
        return op('K').op(static_cast<char>(value));
    if (value >= 0 && value < 65536)
        return op('M').raw(asBytes(static_cast<std::uint16_t>(value)));
    if (value >= INT32_MIN && value <= INT32_MAX)
        return op('J').raw(asBytes(static_cast<std::int32_t>(value)));
    return op('\x8a').op('\x08').raw(asBytes(value));
}

PickleWriter& PickleWriter::real(double value)
{
    return op('G').raw(asBytes(__builtin_bswap64(std::bit_cast<std::uint64_t>(value))));
}

PickleWriter& PickleWriter::text(std::string_view value)
{
    return op('X').raw(asBytes(static_cast<std::uint32_t>(value.size()))).raw(value);
}

PickleWriter& PickleWriter::bytes(std::string_view value)
{
    if (value.size() < 256)
        return op('C').op(static_cast<char>(value.size())).raw(value);
    return op('B').raw(asBytes(static_cast<std::uint32_t>(value.size()))).raw(value);
}

PickleWriter& PickleWriter::global(std::string_view module, std::string_view name)
{
    return op('c').raw(module).op('\n').raw(name).op('\n');
}

} // namespace headscope::test
