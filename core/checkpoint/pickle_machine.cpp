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

PickleId PickleMachine::add(PickleValue value)
{
    if (m_document.values.size() >= kMostValues)
        fail(fmt::format("it describes more than {} values", kMostValues));
    m_document.values.push_back(std::move(value));
    return PickleId(static_cast<std::uint32_t>(m_document.values.size() - 1));
}

PickleId PickleMachine::pushNew(PickleValue value)
{
    const PickleId id = add(std::move(value));
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
    m_marks.push_back(m_stack.size());
}

std::vector<PickleId> PickleMachine::popToMark()
{
    if (m_marks.empty())
        fail("a mark is missing on its stack");
    const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
    std::vector<PickleId> items(begin, m_stack.end());
    m_stack.erase(begin, m_stack.end());
    m_marks.pop_back();
    return items;
}

PickleEntries PickleMachine::popPairsToMark()
{
    const std::vector<PickleId> items = popToMark();
    if (items.size() % 2 != 0)
        fail("a key has no value");
    PickleEntries entries;
    entries.reserve(items.size() / 2);
    for (std::size_t i = 0; i < items.size(); i += 2)
        entries.emplace_back(items[i], items[i + 1]);
    return entries;
}

void PickleMachine::pushString(std::string decoded)
{
    m_document.decoded.push_back(std::make_unique<const std::string>(std::move(decoded)));
    pushNew(std::string_view(*m_document.decoded.back()));
}

void PickleMachine::pushInteger(std::string_view digits)
{
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

void PickleMachine::pushLong(std::string_view twosComplement)
{
    if (twosComplement.size() > 8) {
        pushNew(PickleBigInt{twosComplement});
        return;
    }
    const bool negative = !twosComplement.empty() && (static_cast<unsigned char>(twosComplement.back()) & 0x80U) != 0;
    std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
    std::memcpy(&bits, twosComplement.data(), twosComplement.size());
    pushNew(static_cast<std::int64_t>(bits));
}

void PickleMachine::pushClass(std::string_view module, std::string_view name)
{
    if (module == "__builtin__") // Python 2's name of the module
        module = "builtins";
    pushNew(PickleClass{fmt::format("{}.{}", module, name)});
}

void PickleMachine::pushTuple(std::size_t size)
{
    if (m_stack.size() - floor() < size)
        fail("a value is missing on its stack");
    const auto begin = m_stack.end() - static_cast<std::ptrdiff_t>(size);
    PickleTuple tuple{{begin, m_stack.end()}};
    m_stack.erase(begin, m_stack.end());
    pushNew(std::move(tuple));
}

void PickleMachine::appendItems(PickleId target, const std::vector<PickleId>& items)
{
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

void PickleMachine::setEntries(PickleId target, const PickleEntries& entries)
{
    PickleEntries* dict = nullptr;
    if (auto* plain = mutableGet<PickleDict>(target))
        dict = &plain->entries;
    else if (auto* object = mutableGet<PickleObject>(target))
        dict = &object->entries;
    else
        fail("keys are set in what is no dict");
    dict->insert(dict->end(), entries.begin(), entries.end());
}

void PickleMachine::call(PickleId callable, PickleId args)
{
    if (m_document.get<PickleTuple>(args) == nullptr)
        fail("the arguments of a call are no tuple");
    pushNew(PickleObject{callable, args, std::nullopt, {}, {}}); // described, never called
}

void PickleMachine::remember(std::uint64_t index)
{
    if (m_memo.size() >= kMostValues)
        fail("it remembers too many values");
    m_memo[index] = top();
}

void PickleMachine::recall(std::uint64_t index)
{
    const auto found = m_memo.find(index);
    if (found == m_memo.end())
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
