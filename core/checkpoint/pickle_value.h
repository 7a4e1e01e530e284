// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/pickle_items.h"
#include "core/progress.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::core {

enum class PickleKind : std::uint8_t {
    None,
    Bool,
    Integer, // of up to 64 bits
    Real,
    Text,
    Bytes,
    BigInt, // beyond 64 bits
    List,
    Tuple,
    Set,
    Dict,
    Class,      // a class or function by name
    Persistent, // something kept outside the pickle: in PyTorch files a storage
    Object,     // what Python would have made by calling something, then setting its state and filling it
};

class PickleDocument;

/// Keys and values, in the order of the file, keys of any kind. A view: walking it is what it costs.
class PickleEntries
{
public:
    /// Some of the entries: key, value, key, value, … or items that are pairs, in which old files hand an OrderedDict its content.
    struct Part {
        std::span<const PickleId> ids;
        bool pairs = false;
    };
    using Entry = std::pair<PickleId, PickleId>;

    class Iterator
    {
    public:
        using difference_type = std::ptrdiff_t;
        using value_type = Entry;

        Iterator() = default;
        Iterator(const PickleEntries* entries, std::size_t part) : m_entries(entries), m_part(part) { settle(); }
        Entry operator*() const;
        Iterator& operator++();
        Iterator operator++(int)
        {
            Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator& other) const { return m_part == other.m_part && m_at == other.m_at; }

    private:
        void settle(); // goes on to the next entry, if this place holds none

        const PickleEntries* m_entries = nullptr;
        std::size_t m_part = 0;
        std::size_t m_at = 0;
    };

    PickleEntries() = default;
    PickleEntries(const PickleDocument& document, std::array<Part, 2> parts) : m_document(&document), m_parts(parts) {}
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, m_parts.size()}; }
    bool empty() const { return begin() == end(); }

private:
    const PickleDocument* m_document = nullptr;
    std::array<Part, 2> m_parts;
};

/// What a pickle describes, as inert data: nothing of it was ever called. The values of one pickle live in flat tables and
/// name each other by number, so that neither deep nesting nor cycles cost anything, and hold 9 bytes each: a byte of a
/// pickle can make a value, and a file may have hundreds of megabytes of them.
class PickleDocument
{
public:
    PickleDocument();
    /// Whoever walks the document asks `progress` for cancellation every few thousand steps.
    explicit PickleDocument(std::shared_ptr<const std::vector<std::byte>> bytes, Progress progress = {});

    PickleId root{};

    /// Values, counted from number 0.
    std::size_t size() const { return m_kinds.size(); }
    /// Bytes of the pickle.
    std::size_t byteCount() const { return m_bytes ? m_bytes->size() : 0; }

    PickleKind kind(PickleId id) const { return m_kinds[index(id)].kind; }
    bool isObject(PickleId id) const { return kind(id) == PickleKind::Object; }
    std::optional<bool> boolean(PickleId id) const;
    std::optional<std::int64_t> integer(PickleId id) const;
    std::optional<double> real(PickleId id) const;
    std::optional<std::string_view> text(PickleId id) const;
    std::optional<std::string_view> bytes(PickleId id) const;
    /// What stands for something outside the pickle; nullopt for anything else.
    std::optional<PickleId> persistent(PickleId id) const;
    /// Of an object.
    PickleId callableOf(PickleId object) const;
    PickleId argumentsOf(PickleId object) const;
    std::optional<PickleId> stateOf(PickleId object) const;
    /// What was appended to an object, as to a list.
    std::span<const PickleId> appendedTo(PickleId object) const;

    /// The class of an object, or of a class itself; empty for anything else. A helper that only makes an instance of
    /// another class (copyreg._reconstructor) counts as that class. Cut where it is longer than names are.
    std::string className(PickleId id) const;
    /// Items of a tuple, list or set; empty for anything else.
    std::span<const PickleId> itemsOf(PickleId id) const;
    /// Whether the value is a dict or an object that was filled like one.
    bool isDictLike(PickleId id) const;
    /// Entries of a dict-like value, including those an OrderedDict or defaultdict was constructed from; empty for anything
    /// else.
    PickleEntries entriesOf(PickleId id) const;
    /// The values whose content those entries are (the dict itself, an argument, what was filled in), each of which can be the
    /// content of other values too.
    std::array<std::optional<PickleId>, 2> contentsOf(PickleId id) const;
    /// The entries of one of them.
    PickleEntries entriesOfContent(PickleId content) const;
    /// Attributes of an object (Namespace, SimpleNamespace, dataclass): its state where that is a dict, or a pair (dict,
    /// slots).
    PickleEntries attributesOf(PickleId id) const;
    /// The value under a string key of a dict-like value.
    std::optional<PickleId> find(PickleId dict, std::string_view key) const;

    /// Steps of work so far: instructions run and entries walked over. What opening a file costs, for those who bound it.
    std::uint64_t work() const { return m_work; }
    void count(std::uint64_t steps) const
    {
        constexpr std::uint64_t betweenQuestions = 4096;
        const std::uint64_t before = m_work;
        m_work += steps;
        if (before / betweenQuestions != m_work / betweenQuestions)
            m_progress.checkpoint();
    }

private:
    friend class PickleMachine;

    struct Kind {
        PickleKind kind : 4;
        bool flag : 1; // of a text: it was decoded; of a container: PickleItems::Piece::roomy; of an object: it has parts
    };
    struct Payload { // two numbers: a place and a size, two ids, the halves of a number
        std::uint32_t a;
        std::uint32_t b;
    };
    /// What is set on few objects.
    struct Parts {
        PickleId callable{};
        PickleId args{};
        std::optional<PickleId> state;
        std::optional<PickleId> items;   // a list
        std::optional<PickleId> entries; // a dict
    };

    static std::size_t index(PickleId id) { return static_cast<std::size_t>(id); }
    PickleItems::Piece piece(PickleId id) const
    {
        return {m_payloads[index(id)].a, m_payloads[index(id)].b, m_kinds[index(id)].flag};
    }
    std::uint64_t wide(PickleId id) const { return std::uint64_t{m_payloads[index(id)].b} << 32 | m_payloads[index(id)].a; }
    std::string_view view(PickleId id) const;
    const Parts* partsOf(PickleId id) const;
    Parts& partsFor(PickleId id);
    PickleId add(PickleKind kind, std::uint32_t a, std::uint32_t b, bool flag = false);

    std::shared_ptr<const std::vector<std::byte>> m_bytes; // what texts lie in
    std::string m_decoded;                                 // and those that had to be unescaped
    std::deque<Kind> m_kinds;
    std::deque<Payload> m_payloads;
    std::deque<Parts> m_parts; // of the objects that have them: there `a` is the place in here
    PickleItems m_items;
    Progress m_progress;
    mutable std::uint64_t m_work = 0;
};

} // namespace headscope::core
