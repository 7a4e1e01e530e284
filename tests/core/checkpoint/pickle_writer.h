// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope::test {

/// Emits the instructions of a pickle (protocol 2, as torch.save writes it) one after the other. Each call pushes what it
/// names.
class PickleWriter
{
public:
    PickleWriter() { m_bytes = "\x80\x02"; }

    PickleWriter& none() { return op('N'); }
    PickleWriter& boolean(bool value) { return op(value ? '\x88' : '\x89'); }
    PickleWriter& integer(std::int64_t value);
    PickleWriter& real(double value);
    PickleWriter& text(std::string_view value);
    PickleWriter& bytes(std::string_view value); // SHORT_BINBYTES or BINBYTES of protocol 3
    PickleWriter& global(std::string_view module, std::string_view name);
    PickleWriter& emptyDict() { return op('}'); }
    PickleWriter& emptyList() { return op(']'); }
    PickleWriter& emptyTuple() { return op(')'); }
    PickleWriter& mark() { return op('('); }
    PickleWriter& tuple() { return op('t'); }    // from the mark on
    PickleWriter& setItems() { return op('u'); } // key, value, … from the mark on into the dict below
    PickleWriter& appends() { return op('e'); }  // from the mark on into the list below
    PickleWriter& reduce() { return op('R'); }   // callable, tuple
    PickleWriter& newObject() { return op('\x81'); }
    PickleWriter& build() { return op('b'); }      // object, state
    PickleWriter& persistent() { return op('Q'); } // the id is on the stack
    PickleWriter& op(char opcode)
    {
        m_bytes += opcode;
        return *this;
    }
    PickleWriter& raw(std::string_view bytes)
    {
        m_bytes += bytes;
        return *this;
    }

    /// With STOP at its end.
    std::string finish() const { return m_bytes + '.'; }

private:
    std::string m_bytes;
};

} // namespace headscope::test
