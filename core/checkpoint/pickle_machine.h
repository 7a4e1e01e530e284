// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/pickle_reader.h"

#include <span>
#include <string_view>
#include <unordered_map>

namespace headscope::core {

/// The virtual machine behind readPickle: a stack, marks on it, a memo, and the table of values it fills. Its instructions
/// are in pickle_reader.cpp, what they are made of in pickle_machine.cpp. One run, one thread.
class PickleMachine
{
public:
    PickleMachine(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where)
        : m_bytes(*bytes), m_position(begin), m_where(where)
    {
        m_document.bytes = std::move(bytes);
    }

    PickleResult run()
    {
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

    [[noreturn]] void fail(std::string_view what) const;

    // The bytes.
    std::string_view take(std::uint64_t count);
    std::string_view takeLine();
    template <typename Number>
    Number takeNumber()
    {
        const std::string_view raw = take(sizeof(Number));
        return littleEndian<Number>(std::as_bytes(std::span(raw)), 0);
    }

    // The stack. Values below the last mark are out of reach, as in Python.
    void push(PickleId id);
    PickleId pushNew(PickleValue value);
    PickleId add(PickleValue value);
    PickleId top() const;
    PickleId pop();
    void pushMark();
    std::vector<PickleId> popToMark();
    PickleEntries popPairsToMark();
    std::size_t floor() const { return m_marks.empty() ? 0 : m_marks.back(); }

    template <typename T>
    T* mutableGet(PickleId id)
    {
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

} // namespace headscope::core
