// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_reader.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_machine.h"
#include "core/checkpoint/pickle_text.h"

#include <fmt/format.h>

#include <bit>

namespace headscope::core {

bool PickleMachine::pushScalar(char opcode)
{
    switch (opcode) {
    case 'N': push(PickleId(None)); return true;
    case '\x88': push(PickleId(True)); return true;
    case '\x89': push(PickleId(False)); return true;
    case 'J': pushInteger(std::int64_t{takeNumber<std::int32_t>()}); return true;
    case 'K': pushInteger(std::int64_t{takeNumber<std::uint8_t>()}); return true;
    case 'M': pushInteger(std::int64_t{takeNumber<std::uint16_t>()}); return true;
    case '\x8a': pushLong(take(takeNumber<std::uint8_t>())); return true;
    case '\x8b': pushLong(take(takeNumber<std::uint32_t>())); return true;
    case 'G': pushNumber(PickleKind::Real, __builtin_bswap64(takeNumber<std::uint64_t>())); return true;
    case 'I':
    case 'L': pushInteger(takeLine()); return true;
    case 'F': {
        const std::string_view line = takeLine();
        const std::optional<double> value = parsePickleFloat(line);
        if (!value)
            fail(fmt::format("{} is not a number", quotedName(line)));
        pushNumber(PickleKind::Real, std::bit_cast<std::uint64_t>(*value));
        return true;
    }
    default: return false;
    }
}

bool PickleMachine::pushText(char opcode)
{
    switch (opcode) {
    case '\x8c': pushText(PickleKind::Text, take(takeNumber<std::uint8_t>())); return true;
    case 'X': pushText(PickleKind::Text, take(takeNumber<std::uint32_t>())); return true;
    case '\x8d': pushText(PickleKind::Text, take(takeNumber<std::uint64_t>())); return true;
    case 'U': pushText(PickleKind::Text, take(takeNumber<std::uint8_t>())); return true; // a str of Python 2
    case 'T': pushText(PickleKind::Text, take(takeNumber<std::uint32_t>())); return true;
    case 'C': pushText(PickleKind::Bytes, take(takeNumber<std::uint8_t>())); return true;
    case 'B': pushText(PickleKind::Bytes, take(takeNumber<std::uint32_t>())); return true;
    case '\x8e': // BINBYTES8
    case '\x96': // BYTEARRAY8
        pushText(PickleKind::Bytes, take(takeNumber<std::uint64_t>()));
        return true;
    case 'V': {
        const std::string_view line = takeLine();
        if (const std::string decoded = decodeRawUnicodeEscape(line); decoded == line)
            pushText(PickleKind::Text, line);
        else
            pushDecoded(decoded);
        return true;
    }
    case 'S': {
        std::optional<std::string> decoded = decodePythonLiteral(takeLine());
        if (!decoded)
            fail("a string has no closing quote");
        pushDecoded(*decoded);
        return true;
    }
    default: return false;
    }
}

bool PickleMachine::pushContainer(char opcode)
{
    switch (opcode) {
    case '(': pushMark(); return true;
    case ']': pushNew(PickleKind::List); return true;
    case '}': pushNew(PickleKind::Dict); return true;
    case ')': push(PickleId(EmptyTuple)); return true;
    case '\x8f': pushNew(PickleKind::Set); return true;
    case '\x85': pushFilled(PickleKind::Tuple, 1); return true;
    case '\x86': pushFilled(PickleKind::Tuple, 2); return true;
    case '\x87': pushFilled(PickleKind::Tuple, 3); return true;
    case 't': pushFilled(PickleKind::Tuple, popMark()); return true;
    case 'l': pushFilled(PickleKind::List, popMark()); return true;
    case 'd': pushFilled(PickleKind::Dict, popMark()); return true;
    case '\x91': pushFilled(PickleKind::Set, popMark()); return true;
    default: return false;
    }
}

bool PickleMachine::fillContainer(char opcode)
{
    switch (opcode) {
    case 'a': appendItems(1); return true;
    case 'e':                                    // APPENDS
    case '\x90': appendItems(popMark()); return true; // ADDITEMS
    case 's': setEntries(2); return true;
    case 'u': setEntries(popMark()); return true;
    case 'b': setState(); return true; // BUILD
    default: return false;
    }
}

bool PickleMachine::useMemo(char opcode)
{
    switch (opcode) {
    case 'q': remember(takeNumber<std::uint8_t>()); return true;
    case 'r': remember(takeNumber<std::uint32_t>()); return true;
    case 'p': remember(takeDecimal()); return true;
    case '\x94': remember(m_memo.size() + m_sparseMemo.size()); return true;
    case 'h': recall(takeNumber<std::uint8_t>()); return true;
    case 'j': recall(takeNumber<std::uint32_t>()); return true;
    case 'g': recall(takeDecimal()); return true;
    case '2': push(top()); return true;
    case '0':
        if (m_stack.size() == floor() && !m_marks.empty()) // POP on a bare mark takes the mark
            m_marks.pop_back();
        else
            pop();
        return true;
    case '1':
        for (std::size_t count = popMark(); count > 0; --count)
            m_stack.pop_back();
        return true;
    default: return false;
    }
}

bool PickleMachine::makeObject(char opcode)
{
    switch (opcode) {
    case 'c': {
        const PickleId module = addText(PickleKind::Text, takeLine());
        pushClass(module, addText(PickleKind::Text, takeLine()));
        return true;
    }
    case '\x93': { // STACK_GLOBAL
        const PickleId name = pop();
        const PickleId module = pop();
        if (m_document.kind(name) != PickleKind::Text || m_document.kind(module) != PickleKind::Text)
            fail("the name of a class is no text");
        pushClass(module, name);
        return true;
    }
    case 'R':    // REDUCE
    case '\x81': // NEWOBJ
    {
        const PickleId args = pop();
        call(pop(), args);
        return true;
    }
    case '\x92': { // NEWOBJ_EX: keyword arguments are of no use here
        pop();
        const PickleId args = pop();
        call(pop(), args);
        return true;
    }
    case 'i': { // INST
        const PickleId module = addText(PickleKind::Text, takeLine());
        const PickleId name = addText(PickleKind::Text, takeLine());
        pushFilled(PickleKind::Tuple, popMark());
        const PickleId args = pop();
        pushClass(module, name);
        call(pop(), args);
        return true;
    }
    case 'o': { // OBJ
        const std::size_t count = popMark();
        if (count == 0)
            fail("a class is missing on its stack");
        pushFilled(PickleKind::Tuple, count - 1);
        const PickleId args = pop();
        call(pop(), args);
        return true;
    }
    case 'Q': pushNew(PickleKind::Persistent, static_cast<std::uint32_t>(pop())); return true;
    case 'P': pushNew(PickleKind::Persistent, static_cast<std::uint32_t>(addText(PickleKind::Text, takeLine()))); return true;
    default: return false;
    }
}

/// Executes one opcode; false at the end of the pickle.
bool PickleMachine::step()
{
    m_opcodeAt = m_position;
    const char opcode = take(1).front();
    if (opcode == '.')
        return false;
    if (opcode == '\x80') {
        const auto protocol = takeNumber<std::uint8_t>();
        if (protocol > 5)
            throw Error(
                fmt::format("{} uses pickle protocol {}, newer than the protocols 0 to 5 this program reads; save it again "
                            "with torch.save's default protocol.",
                            m_where, protocol));
        return true;
    }
    if (opcode == '\x95') { // FRAME: only a hint for buffered readers
        takeNumber<std::uint64_t>();
        return true;
    }
    if (pushScalar(opcode) || pushText(opcode) || pushContainer(opcode) || fillContainer(opcode) || useMemo(opcode) ||
        makeObject(opcode))
        return true;
    fail(fmt::format("0x{:02x} is no instruction of a checkpoint's pickle", static_cast<unsigned char>(opcode)));
}

PickleResult readPickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where,
                        const Progress& progress)
{
    if (bytes->size() > UINT32_MAX)
        throw Error(fmt::format("{} has {} bytes, more than a checkpoint's pickle needs.", where, bytes->size()));
    return PickleMachine(std::move(bytes), begin, where, progress).run();
}

} // namespace headscope::core
