// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/pickle_reader.h"

#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>

namespace headscope::core {

/// The virtual machine behind readPickle: a stack, marks on it, a memo, and the table of values it fills. Its instructions
/// are in pickle_reader.cpp, what they are made of in pickle_machine.cpp. One run, one thread.
class PickleMachine
{
public:
    /// The values of which one is enough for a whole pickle.
    enum Shared : std::uint32_t { None, False, True, EmptyTuple };

    PickleMachine(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where,
                  const Progress& progress)
        : m_bytes(*bytes), m_position(begin), m_where(where), m_document(std::move(bytes), progress)
    {
    }

    PickleResult run()
    {
        while (step())
            m_document.count(1);
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
    PickleId add(PickleKind kind, std::uint32_t a, std::uint32_t b, bool flag = false);
    PickleId pushNew(PickleKind kind, std::uint32_t a = 0, std::uint32_t b = 0, bool flag = false);
    PickleId top() const;
    PickleId pop();
    void pushMark();
    std::size_t popMark(); // how many values lie above it
    std::size_t floor() const { return m_marks.empty() ? 0 : m_marks.back(); }

    PickleId addText(PickleKind kind, std::string_view raw); // which lies in the pickle
    void pushText(PickleKind kind, std::string_view raw) { push(addText(kind, raw)); }
    void pushDecoded(const std::string& text);
    void pushNumber(PickleKind kind, std::uint64_t bits);
    void pushInteger(std::int64_t value) { pushNumber(PickleKind::Integer, static_cast<std::uint64_t>(value)); }
    void pushInteger(std::string_view digits);
    void pushLong(std::string_view twosComplement);
    void pushClass(PickleId module, PickleId name);
    void pushFilled(PickleKind kind, std::size_t count); // a container of the topmost values
    void requirePairs(std::size_t count) const;
    /// Takes the topmost values off the stack and appends them to a container.
    void fill(PickleId container, std::size_t count);
    void appendItems(std::size_t count);
    void setEntries(std::size_t count);
    void setState();
    void call(PickleId callable, PickleId args);
    void remember(std::uint64_t index);
    void recall(std::uint64_t index);
    std::uint64_t takeDecimal();

    std::span<const std::byte> m_bytes;
    std::size_t m_position = 0;
    std::size_t m_opcodeAt = 0;
    const std::string& m_where;
    PickleDocument m_document;
    std::deque<PickleId> m_stack;
    std::deque<std::uint32_t> m_marks; // heights of the stack
    std::deque<PickleId> m_memo;       // as files have it: numbered from 0 on
    std::unordered_map<std::uint64_t, PickleId> m_sparseMemo;
};

} // namespace headscope::core
