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
    case 'N': pushNew(PickleNone{}); return true;
    case '\x88': pushNew(true); return true;
    case '\x89': pushNew(false); return true;
    case 'J': pushNew(std::int64_t{takeNumber<std::int32_t>()}); return true;
    case 'K': pushNew(std::int64_t{takeNumber<std::uint8_t>()}); return true;
    case 'M': pushNew(std::int64_t{takeNumber<std::uint16_t>()}); return true;
    case '\x8a': pushLong(take(takeNumber<std::uint8_t>())); return true;
    case '\x8b': pushLong(take(takeNumber<std::uint32_t>())); return true;
    case 'G': pushNew(std::bit_cast<double>(__builtin_bswap64(takeNumber<std::uint64_t>()))); return true;
    case 'I':
    case 'L': pushInteger(takeLine()); return true;
    case 'F': {
        const std::string_view line = takeLine();
        const std::optional<double> value = parsePickleFloat(line);
        if (!value)
            fail(fmt::format("{} is not a number", quotedName(line)));
        pushNew(*value);
        return true;
    }
    default: return false;
    }
}

bool PickleMachine::pushText(char opcode)
{
    switch (opcode) {
    case '\x8c': pushNew(take(takeNumber<std::uint8_t>())); return true;
    case 'X': pushNew(take(takeNumber<std::uint32_t>())); return true;
    case '\x8d': pushNew(take(takeNumber<std::uint64_t>())); return true;
    case 'U': pushNew(take(takeNumber<std::uint8_t>())); return true; // a str of Python 2
    case 'T': pushNew(take(takeNumber<std::uint32_t>())); return true;
    case 'C': pushNew(PickleBytes{take(takeNumber<std::uint8_t>())}); return true;
    case 'B': pushNew(PickleBytes{take(takeNumber<std::uint32_t>())}); return true;
    case '\x8e': // BINBYTES8
    case '\x96': // BYTEARRAY8
        pushNew(PickleBytes{take(takeNumber<std::uint64_t>())});
        return true;
    case 'V': pushString(decodeRawUnicodeEscape(takeLine())); return true;
    case 'S': {
        std::optional<std::string> decoded = decodePythonLiteral(takeLine());
        if (!decoded)
            fail("a string has no closing quote");
        pushString(std::move(*decoded));
        return true;
    }
    default: return false;
    }
}

bool PickleMachine::pushContainer(char opcode)
{
    switch (opcode) {
    case '(': pushMark(); return true;
    case ']': pushNew(PickleList{}); return true;
    case '}': pushNew(PickleDict{}); return true;
    case ')': pushNew(PickleTuple{}); return true;
    case '\x8f': pushNew(PickleSet{}); return true;
    case '\x85': pushTuple(1); return true;
    case '\x86': pushTuple(2); return true;
    case '\x87': pushTuple(3); return true;
    case 't': pushNew(PickleTuple{popToMark()}); return true;
    case 'l': pushNew(PickleList{popToMark()}); return true;
    case 'd': pushNew(PickleDict{popPairsToMark()}); return true;
    case '\x91': pushNew(PickleSet{popToMark()}); return true;
    default: return false;
    }
}

bool PickleMachine::fillContainer(char opcode)
{
    switch (opcode) {
    case 'a': {
        const PickleId item = pop();
        appendItems(top(), {item});
        return true;
    }
    case 'e':    // APPENDS
    case '\x90': // ADDITEMS
    {
        const std::vector<PickleId> items = popToMark();
        appendItems(top(), items);
        return true;
    }
    case 's': {
        const PickleId value = pop();
        const PickleId key = pop();
        setEntries(top(), {{key, value}});
        return true;
    }
    case 'u': {
        const PickleEntries entries = popPairsToMark();
        setEntries(top(), entries);
        return true;
    }
    case 'b': { // BUILD
        const PickleId state = pop();
        if (auto* object = mutableGet<PickleObject>(top()))
            object->state = state;
        return true;
    }
    default: return false;
    }
}

bool PickleMachine::useMemo(char opcode)
{
    switch (opcode) {
    case 'q': remember(takeNumber<std::uint8_t>()); return true;
    case 'r': remember(takeNumber<std::uint32_t>()); return true;
    case 'p': remember(takeDecimal()); return true;
    case '\x94': remember(m_memo.size()); return true;
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
    case '1': popToMark(); return true;
    default: return false;
    }
}

bool PickleMachine::makeObject(char opcode)
{
    switch (opcode) {
    case 'c': {
        const std::string_view module = takeLine();
        pushClass(module, takeLine());
        return true;
    }
    case '\x93': { // STACK_GLOBAL
        const std::optional<std::string_view> name = m_document.text(pop());
        const std::optional<std::string_view> module = m_document.text(pop());
        if (!name || !module)
            fail("the name of a class is no text");
        pushClass(*module, *name);
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
        const std::string_view module = takeLine();
        const std::string_view name = takeLine();
        const PickleId args = add(PickleTuple{popToMark()});
        pushClass(module, name);
        call(pop(), args);
        return true;
    }
    case 'o': { // OBJ
        std::vector<PickleId> items = popToMark();
        if (items.empty())
            fail("a class is missing on its stack");
        const PickleId callable = items.front();
        items.erase(items.begin());
        call(callable, add(PickleTuple{std::move(items)}));
        return true;
    }
    case 'Q': pushNew(PicklePersistent{pop()}); return true;
    case 'P': {
        const PickleId id = add(takeLine());
        pushNew(PicklePersistent{id});
        return true;
    }
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

PickleResult readPickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where)
{
    return PickleMachine(std::move(bytes), begin, where).run();
}

} // namespace headscope::core
