// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_reader.h"

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

namespace headscope::core {
namespace {

// Far above what checkpoints have (some 50 values per tensor), low enough that a hostile file cannot take the machine's
// memory.
constexpr std::size_t kMostValues = 8'000'000;
constexpr std::size_t kDeepestStack = 16'000'000;
constexpr std::size_t kMostMarks = 4'000'000;

class PickleMachine {
public:
    PickleMachine(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where)
        : m_bytes(*bytes), m_position(begin), m_where(where) {
        m_document.bytes = std::move(bytes);
    }

    PickleResult run() {
        while (step()) {
        }
        m_document.root = pop();
        return {std::move(m_document), m_position};
    }

private:
    bool step();
    bool pushScalar(char opcode);
    bool pushText(char opcode);
    bool pushContainer(char opcode);
    bool fillContainer(char opcode);
    bool useMemo(char opcode);
    bool makeObject(char opcode);

    [[noreturn]] void fail(std::string_view what) const {
        throw Error(fmt::format("{} is damaged at byte {}: {}; download the file again.", m_where, m_opcodeAt, what));
    }

    // The bytes.
    std::string_view take(std::uint64_t count);
    std::string_view takeLine();
    template <typename Number>
    Number takeNumber() {
        const std::string_view raw = take(sizeof(Number));
        return littleEndian<Number>(std::as_bytes(std::span(raw)), 0);
    }

    // The stack. Values below the last mark are out of reach, as in Python.
    void push(PickleId id);
    PickleId pushNew(PickleValue value);
    PickleId add(PickleValue value);
    PickleId top() const;
    PickleId pop();
    std::vector<PickleId> popToMark();
    PickleEntries popPairsToMark();
    std::size_t floor() const { return m_marks.empty() ? 0 : m_marks.back(); }

    template <typename T>
    T* mutableGet(PickleId id) {
        return std::get_if<T>(&m_document.values[static_cast<std::size_t>(id)]);
    }
    void pushString(std::string decoded);
    void pushInteger(std::string_view digits);
    void pushLong(std::string_view twosComplement);
    void pushClass(std::string_view module, std::string_view name);
    void pushTuple(std::size_t size);
    void appendItems(PickleId target, const std::vector<PickleId>& items);
    void setEntries(PickleId target, const PickleEntries& entries);
    void call(PickleId callable, PickleId args);
    void remember(std::uint64_t index);
    void recall(std::uint64_t index);
    std::uint64_t takeDecimal();

    std::span<const std::byte> m_bytes;
    std::size_t m_position = 0;
    std::size_t m_opcodeAt = 0;
    const std::string& m_where;
    PickleDocument m_document;
    std::vector<PickleId> m_stack;
    std::vector<std::size_t> m_marks; // heights of the stack
    std::unordered_map<std::uint64_t, PickleId> m_memo;
};

std::string_view PickleMachine::take(std::uint64_t count) {
    const std::size_t left = m_bytes.size() - m_position;
    if (count > left)
        throw PickleTruncated(
            fmt::format("{} is cut off: {} bytes are announced at byte {}, {} are there; download the file again.", m_where,
                        count, m_opcodeAt, left));
    const std::string_view result(reinterpret_cast<const char*>(m_bytes.data()) + m_position, count);
    m_position += count;
    return result;
}

std::string_view PickleMachine::takeLine() {
    const auto rest = m_bytes.subspan(m_position);
    const auto newline = std::ranges::find(rest, std::byte{'\n'});
    const auto length = static_cast<std::size_t>(newline - rest.begin());
    std::string_view line = take(length + 1);
    line.remove_suffix(1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

void PickleMachine::push(PickleId id) {
    if (m_stack.size() >= kDeepestStack)
        fail("its stack grows without end");
    m_stack.push_back(id);
}

PickleId PickleMachine::add(PickleValue value) {
    if (m_document.values.size() >= kMostValues)
        fail(fmt::format("it describes more than {} values", kMostValues));
    m_document.values.push_back(std::move(value));
    return PickleId(static_cast<std::uint32_t>(m_document.values.size() - 1));
}

PickleId PickleMachine::pushNew(PickleValue value) {
    const PickleId id = add(std::move(value));
    push(id);
    return id;
}

PickleId PickleMachine::top() const {
    if (m_stack.size() <= floor())
        fail("a value is missing on its stack");
    return m_stack.back();
}

PickleId PickleMachine::pop() {
    const PickleId id = top();
    m_stack.pop_back();
    return id;
}

std::vector<PickleId> PickleMachine::popToMark() {
    if (m_marks.empty())
        fail("a mark is missing on its stack");
    const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
    std::vector<PickleId> items(begin, m_stack.end());
    m_stack.erase(begin, m_stack.end());
    m_marks.pop_back();
    return items;
}

PickleEntries PickleMachine::popPairsToMark() {
    const std::vector<PickleId> items = popToMark();
    if (items.size() % 2 != 0)
        fail("a key has no value");
    PickleEntries entries;
    entries.reserve(items.size() / 2);
    for (std::size_t i = 0; i < items.size(); i += 2)
        entries.emplace_back(items[i], items[i + 1]);
    return entries;
}

void PickleMachine::pushString(std::string decoded) {
    m_document.decoded.push_back(std::make_unique<const std::string>(std::move(decoded)));
    pushNew(std::string_view(*m_document.decoded.back()));
}

void PickleMachine::pushInteger(std::string_view digits) {
    if (digits == "00" || digits == "01") { // how protocol 0 writes bool
        pushNew(digits == "01");
        return;
    }
    if (digits.ends_with('L'))
        digits.remove_suffix(1);
    const std::optional<PickleInteger> value = parsePickleInteger(digits);
    if (!value)
        fail(fmt::format("{} is not an integer", quotedName(digits)));
    if (value->fits)
        pushNew(value->value);
    else
        pushNew(PickleBigInt{digits});
}

void PickleMachine::pushLong(std::string_view twosComplement) {
    if (twosComplement.size() > 8) {
        pushNew(PickleBigInt{twosComplement});
        return;
    }
    const bool negative = !twosComplement.empty() && (static_cast<unsigned char>(twosComplement.back()) & 0x80U) != 0;
    std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
    std::memcpy(&bits, twosComplement.data(), twosComplement.size());
    pushNew(static_cast<std::int64_t>(bits));
}

void PickleMachine::pushClass(std::string_view module, std::string_view name) {
    if (module == "__builtin__") // Python 2's name of the module
        module = "builtins";
    pushNew(PickleClass{fmt::format("{}.{}", module, name)});
}

void PickleMachine::pushTuple(std::size_t size) {
    if (m_stack.size() - floor() < size)
        fail("a value is missing on its stack");
    const auto begin = m_stack.end() - static_cast<std::ptrdiff_t>(size);
    PickleTuple tuple{{begin, m_stack.end()}};
    m_stack.erase(begin, m_stack.end());
    pushNew(std::move(tuple));
}

void PickleMachine::appendItems(PickleId target, const std::vector<PickleId>& items) {
    std::vector<PickleId>* list = nullptr;
    if (auto* plain = mutableGet<PickleList>(target))
        list = &plain->items;
    else if (auto* set = mutableGet<PickleSet>(target))
        list = &set->items;
    else if (auto* object = mutableGet<PickleObject>(target))
        list = &object->items;
    else
        fail("items are added to what is no list");
    list->insert(list->end(), items.begin(), items.end());
}

void PickleMachine::setEntries(PickleId target, const PickleEntries& entries) {
    PickleEntries* dict = nullptr;
    if (auto* plain = mutableGet<PickleDict>(target))
        dict = &plain->entries;
    else if (auto* object = mutableGet<PickleObject>(target))
        dict = &object->entries;
    else
        fail("keys are set in what is no dict");
    dict->insert(dict->end(), entries.begin(), entries.end());
}

void PickleMachine::call(PickleId callable, PickleId args) {
    if (m_document.get<PickleTuple>(args) == nullptr)
        fail("the arguments of a call are no tuple");
    pushNew(PickleObject{callable, args, std::nullopt, {}, {}}); // described, never called
}

void PickleMachine::remember(std::uint64_t index) {
    if (m_memo.size() >= kMostValues)
        fail("it remembers too many values");
    m_memo[index] = top();
}

void PickleMachine::recall(std::uint64_t index) {
    const auto found = m_memo.find(index);
    if (found == m_memo.end())
        fail(fmt::format("it refers to value {}, which it never made", index));
    push(found->second);
}

std::uint64_t PickleMachine::takeDecimal() {
    const std::string_view line = takeLine();
    const std::optional<PickleInteger> value = parsePickleInteger(line);
    if (!value || !value->fits || value->value < 0)
        fail(fmt::format("{} is not a number of a value", quotedName(line)));
    return static_cast<std::uint64_t>(value->value);
}

bool PickleMachine::pushScalar(char opcode) {
    switch (opcode) {
    case 'N':
        pushNew(PickleNone{});
        return true;
    case '\x88':
        pushNew(true);
        return true;
    case '\x89':
        pushNew(false);
        return true;
    case 'J':
        pushNew(std::int64_t{takeNumber<std::int32_t>()});
        return true;
    case 'K':
        pushNew(std::int64_t{takeNumber<std::uint8_t>()});
        return true;
    case 'M':
        pushNew(std::int64_t{takeNumber<std::uint16_t>()});
        return true;
    case '\x8a':
        pushLong(take(takeNumber<std::uint8_t>()));
        return true;
    case '\x8b':
        pushLong(take(takeNumber<std::uint32_t>()));
        return true;
    case 'G':
        pushNew(std::bit_cast<double>(__builtin_bswap64(takeNumber<std::uint64_t>())));
        return true;
    case 'I':
    case 'L':
        pushInteger(takeLine());
        return true;
    case 'F': {
        const std::string_view line = takeLine();
        const std::optional<double> value = parsePickleFloat(line);
        if (!value)
            fail(fmt::format("{} is not a number", quotedName(line)));
        pushNew(*value);
        return true;
    }
    default:
        return false;
    }
}

bool PickleMachine::pushText(char opcode) {
    switch (opcode) {
    case '\x8c':
        pushNew(take(takeNumber<std::uint8_t>()));
        return true;
    case 'X':
        pushNew(take(takeNumber<std::uint32_t>()));
        return true;
    case '\x8d':
        pushNew(take(takeNumber<std::uint64_t>()));
        return true;
    case 'U':
        pushNew(take(takeNumber<std::uint8_t>()));
        return true; // a str of Python 2
    case 'T':
        pushNew(take(takeNumber<std::uint32_t>()));
        return true;
    case 'C':
        pushNew(PickleBytes{take(takeNumber<std::uint8_t>())});
        return true;
    case 'B':
        pushNew(PickleBytes{take(takeNumber<std::uint32_t>())});
        return true;
    case '\x8e': // BINBYTES8
    case '\x96': // BYTEARRAY8
        pushNew(PickleBytes{take(takeNumber<std::uint64_t>())});
        return true;
    case 'V':
        pushString(decodeRawUnicodeEscape(takeLine()));
        return true;
    case 'S': {
        std::optional<std::string> decoded = decodePythonLiteral(takeLine());
        if (!decoded)
            fail("a string has no closing quote");
        pushString(std::move(*decoded));
        return true;
    }
    default:
        return false;
    }
}

bool PickleMachine::pushContainer(char opcode) {
    switch (opcode) {
    case '(':
        if (m_marks.size() >= kMostMarks)
            fail("it is nested without end");
        m_marks.push_back(m_stack.size());
        return true;
    case ']':
        pushNew(PickleList{});
        return true;
    case '}':
        pushNew(PickleDict{});
        return true;
    case ')':
        pushNew(PickleTuple{});
        return true;
    case '\x8f':
        pushNew(PickleSet{});
        return true;
    case '\x85':
        pushTuple(1);
        return true;
    case '\x86':
        pushTuple(2);
        return true;
    case '\x87':
        pushTuple(3);
        return true;
    case 't':
        pushNew(PickleTuple{popToMark()});
        return true;
    case 'l':
        pushNew(PickleList{popToMark()});
        return true;
    case 'd':
        pushNew(PickleDict{popPairsToMark()});
        return true;
    case '\x91':
        pushNew(PickleSet{popToMark()});
        return true;
    default:
        return false;
    }
}

bool PickleMachine::fillContainer(char opcode) {
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
    default:
        return false;
    }
}

bool PickleMachine::useMemo(char opcode) {
    switch (opcode) {
    case 'q':
        remember(takeNumber<std::uint8_t>());
        return true;
    case 'r':
        remember(takeNumber<std::uint32_t>());
        return true;
    case 'p':
        remember(takeDecimal());
        return true;
    case '\x94':
        remember(m_memo.size());
        return true;
    case 'h':
        recall(takeNumber<std::uint8_t>());
        return true;
    case 'j':
        recall(takeNumber<std::uint32_t>());
        return true;
    case 'g':
        recall(takeDecimal());
        return true;
    case '2':
        push(top());
        return true;
    case '0':
        if (m_stack.size() == floor() && !m_marks.empty()) // POP on a bare mark takes the mark
            m_marks.pop_back();
        else
            pop();
        return true;
    case '1':
        popToMark();
        return true;
    default:
        return false;
    }
}

bool PickleMachine::makeObject(char opcode) {
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
    case 'Q':
        pushNew(PicklePersistent{pop()});
        return true;
    case 'P': {
        const PickleId id = add(takeLine());
        pushNew(PicklePersistent{id});
        return true;
    }
    default:
        return false;
    }
}

/// Executes one opcode; false at the end of the pickle.
bool PickleMachine::step() {
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

} // namespace

PickleResult readPickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where) {
    return PickleMachine(std::move(bytes), begin, where).run();
}

} // namespace headscope::core
