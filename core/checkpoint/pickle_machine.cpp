// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_machine.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace {

// Far above what checkpoints have (some 50 values per tensor), low enough that a hostile file cannot take the machine's
// memory.
constexpr std::size_t kMostValues = 8'000'000;
constexpr std::size_t kDeepestStack = 16'000'000;
constexpr std::size_t kMostMarks = 4'000'000;

} // namespace

void PickleMachine::fail(std::string_view what) const
{
    throw Error(fmt::format("{} is damaged at byte {}: {}; download the file again.", m_where, m_opcodeAt, what));
}

std::string_view PickleMachine::take(std::uint64_t count)
{
    const std::size_t left = m_bytes.size() - m_position;
    if (count > left)
        throw PickleTruncated(
            fmt::format("{} is cut off: {} bytes are announced at byte {}, {} are there; download the file again.", m_where,
                        count, m_opcodeAt, left));
    const std::string_view result(reinterpret_cast<const char*>(m_bytes.data()) + m_position, count);
    m_position += count;
    return result;
}

std::string_view PickleMachine::takeLine()
{
    const auto rest = m_bytes.subspan(m_position);
    const auto newline = std::ranges::find(rest, std::byte{'\n'});
    const auto length = static_cast<std::size_t>(newline - rest.begin());
    std::string_view line = take(length + 1);
    line.remove_suffix(1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

void PickleMachine::push(PickleId id)
{
    if (m_stack.size() >= kDeepestStack)
        fail("its stack grows without end");
    m_stack.push_back(id);
}

PickleId PickleMachine::add(PickleKind kind, std::uint32_t a, std::uint32_t b, bool flag)
{
    if (m_document.size() >= kMostValues)
        fail(fmt::format("it describes more than {} values", kMostValues));
    return m_document.add(kind, a, b, flag);
}

PickleId PickleMachine::pushNew(PickleKind kind, std::uint32_t a, std::uint32_t b, bool flag)
{
    const PickleId id = add(kind, a, b, flag);
    push(id);
    return id;
}

PickleId PickleMachine::top() const
{
    if (m_stack.size() <= floor())
        fail("a value is missing on its stack");
    return m_stack.back();
}

PickleId PickleMachine::pop()
{
    const PickleId id = top();
    m_stack.pop_back();
    return id;
}

void PickleMachine::pushMark()
{
    if (m_marks.size() >= kMostMarks)
        fail("it is nested without end");
    m_marks.push_back(static_cast<std::uint32_t>(m_stack.size()));
}

std::size_t PickleMachine::popMark()
{
    if (m_marks.empty())
        fail("a mark is missing on its stack");
    const std::size_t count = m_stack.size() - m_marks.back();
    m_marks.pop_back();
    return count;
}

PickleId PickleMachine::addText(PickleKind kind, std::string_view raw)
{
    const auto offset = raw.data() - reinterpret_cast<const char*>(m_bytes.data());
    return add(kind, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(raw.size()));
}

void PickleMachine::pushDecoded(const std::string& text)
{
    if (m_document.m_decoded.size() + text.size() > UINT32_MAX)
        fail("its texts are too long");
    pushNew(PickleKind::Text, static_cast<std::uint32_t>(m_document.m_decoded.size()), static_cast<std::uint32_t>(text.size()), true);
    m_document.m_decoded += text;
}

void PickleMachine::pushNumber(PickleKind kind, std::uint64_t bits)
{
    pushNew(kind, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
}

void PickleMachine::pushInteger(std::string_view digits)
{
    if (digits == "00" || digits == "01") // how protocol 0 writes bool
        return push(PickleId(digits == "01" ? True : False));
    if (digits.ends_with('L'))
        digits.remove_suffix(1);
    const std::optional<PickleInteger> value = parsePickleInteger(digits);
    if (!value)
        fail(fmt::format("{} is not an integer", quotedName(digits)));
    if (value->fits)
        pushInteger(value->value);
    else
        pushText(PickleKind::BigInt, digits);
}

void PickleMachine::pushLong(std::string_view twosComplement)
{
    if (twosComplement.size() > 8)
        return pushText(PickleKind::BigInt, twosComplement);
    const bool negative = !twosComplement.empty() && (static_cast<unsigned char>(twosComplement.back()) & 0x80U) != 0;
    std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
    std::memcpy(&bits, twosComplement.data(), twosComplement.size());
    pushNumber(PickleKind::Integer, bits);
}

void PickleMachine::pushClass(PickleId module, PickleId name)
{
    pushNew(PickleKind::Class, static_cast<std::uint32_t>(module), static_cast<std::uint32_t>(name));
}

void PickleMachine::pushFilled(PickleKind kind, std::size_t count)
{
    if (m_stack.size() - floor() < count)
        fail("a value is missing on its stack");
    if (kind == PickleKind::Tuple && count == 0)
        return push(PickleId(EmptyTuple));
    if (kind == PickleKind::Dict)
        requirePairs(count);
    const PickleId id = add(kind, 0, 0);
    fill(id, count);
    push(id);
}

void PickleMachine::requirePairs(std::size_t count) const
{
    if (count % 2 != 0)
        fail("a key has no value");
}

void PickleMachine::fill(PickleId container, std::size_t count)
{
    const std::size_t at = PickleDocument::index(container);
    PickleItems::Piece piece = m_document.piece(container);
    bool fits = false;
    PickleId* const begin = m_document.m_items.grow(piece, count, fits);
    if (!fits)
        fail("it holds too many values");
    m_document.m_payloads[at] = {piece.begin, piece.count};
    m_document.m_kinds[at].flag = piece.roomy;
    for (std::size_t i = count; i-- > 0;) {
        begin[i] = m_stack.back();
        m_stack.pop_back();
    }
    m_document.count(count);
}

/// The container lies on the stack, the topmost `count` values go into it.
void PickleMachine::appendItems(std::size_t count)
{
    if (m_stack.size() - floor() <= count)
        fail("a value is missing on its stack");
    PickleId target = m_stack[m_stack.size() - 1 - count];
    if (m_document.isObject(target)) {
        const PickleDocument::Parts* parts = m_document.partsOf(target);
        const PickleId items = parts != nullptr && parts->items ? *parts->items : add(PickleKind::List, 0, 0);
        m_document.partsFor(target).items = items;
        target = items;
    } else if (m_document.kind(target) != PickleKind::List && m_document.kind(target) != PickleKind::Set) {
        fail("items are added to what is no list");
    }
    fill(target, count);
}

void PickleMachine::setEntries(std::size_t count)
{
    requirePairs(count);
    if (m_stack.size() - floor() <= count)
        fail("a value is missing on its stack");
    PickleId target = m_stack[m_stack.size() - 1 - count];
    if (m_document.isObject(target)) {
        if (count == 0)
            return;
        const PickleDocument::Parts* parts = m_document.partsOf(target);
        const PickleId entries = parts != nullptr && parts->entries ? *parts->entries : add(PickleKind::Dict, 0, 0);
        m_document.partsFor(target).entries = entries;
        target = entries;
    } else if (m_document.kind(target) != PickleKind::Dict) {
        fail("keys are set in what is no dict");
    }
    fill(target, count);
}

void PickleMachine::setState()
{
    const PickleId state = pop();
    if (m_document.isObject(top()))
        m_document.partsFor(top()).state = state;
}

void PickleMachine::call(PickleId callable, PickleId args)
{
    if (m_document.kind(args) != PickleKind::Tuple)
        fail("the arguments of a call are no tuple");
    pushNew(PickleKind::Object, static_cast<std::uint32_t>(callable), static_cast<std::uint32_t>(args)); // described, never called
}

void PickleMachine::remember(std::uint64_t index)
{
    if (m_memo.size() + m_sparseMemo.size() >= kMostValues)
        fail("it remembers too many values");
    if (index < m_memo.size())
        m_memo[index] = top();
    else if (index == m_memo.size())
        m_memo.push_back(top());
    else
        m_sparseMemo[index] = top();
}

void PickleMachine::recall(std::uint64_t index)
{
    if (index < m_memo.size())
        return push(m_memo[index]);
    const auto found = m_sparseMemo.find(index);
    if (found == m_sparseMemo.end())
        fail(fmt::format("it refers to value {}, which it never made", index));
    push(found->second);
}

std::uint64_t PickleMachine::takeDecimal()
{
    const std::string_view line = takeLine();
    const std::optional<PickleInteger> value = parsePickleInteger(line);
    if (!value || !value->fits || value->value < 0)
        fail(fmt::format("{} is not a number of a value", quotedName(line)));
    return static_cast<std::uint64_t>(value->value);
}

} // namespace headscope::core
