// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::core {

/// What a pickle describes, as inert data: nothing of it was ever called. The values of one pickle live in one flat table
/// and name each other by number, so that neither deep nesting nor cycles cost anything when the document goes away.
enum class PickleId : std::uint32_t {};

struct PickleNone {
};
struct PickleBytes {
    std::string_view bytes;
};
/// An integer beyond 64 bits: little-endian two's complement, or decimal digits in a text pickle.
struct PickleBigInt {
    std::string_view digits;
};
struct PickleList {
    std::vector<PickleId> items;
};
struct PickleTuple {
    std::vector<PickleId> items;
};
struct PickleSet {
    std::vector<PickleId> items;
};
using PickleEntries = std::vector<std::pair<PickleId, PickleId>>;
struct PickleDict {
    PickleEntries entries; // in the order of the file, keys of any kind
};
/// A class or function by name.
struct PickleClass {
    std::string name; // "collections.OrderedDict"
};
/// Something kept outside the pickle: in PyTorch files a storage.
struct PicklePersistent {
    PickleId id;
};
/// What Python would have made by calling `callable` with `args`, then setting its state and filling it.
struct PickleObject {
    PickleId callable;
    PickleId args;
    std::optional<PickleId> state;
    std::vector<PickleId> items;
    PickleEntries entries;
};

using PickleValue =
    std::variant<PickleNone, bool, std::int64_t, double, std::string_view, PickleBytes, PickleBigInt, PickleList,
                 PickleTuple, PickleSet, PickleDict, PickleClass, PicklePersistent, PickleObject>;

struct PickleDocument {
    std::shared_ptr<const std::vector<std::byte>> bytes;     // what the string views point into
    std::vector<std::unique_ptr<const std::string>> decoded; // strings that had to be unescaped; they must not move
    std::vector<PickleValue> values;
    PickleId root{};

    const PickleValue& operator[](PickleId id) const { return values[static_cast<std::size_t>(id)]; }
    template <typename T>
    const T* get(PickleId id) const
    {
        return std::get_if<T>(&(*this)[id]);
    }

    /// The class of an object, or of a class itself; empty for anything else. A helper that only makes an instance of
    /// another class (copyreg._reconstructor) counts as that class.
    std::string_view className(PickleId id) const;
    /// Items of a tuple or list; empty for anything else.
    const std::vector<PickleId>& itemsOf(PickleId id) const;
    /// Whether the value is a dict or an object that was filled like one.
    bool isDictLike(PickleId id) const;
    /// Entries of a dict-like value, including those an OrderedDict or defaultdict was constructed from; empty for anything
    /// else.
    PickleEntries entriesOf(PickleId id) const;
    /// Attributes of an object (Namespace, SimpleNamespace, dataclass): its state where that is a dict, or a pair (dict,
    /// slots).
    PickleEntries attributesOf(PickleId id) const;
    /// The value under a string key of a dict-like value.
    std::optional<PickleId> find(PickleId dict, std::string_view key) const;
    std::optional<std::string_view> text(PickleId id) const;
    std::optional<std::int64_t> integer(PickleId id) const;
};

} // namespace headscope::core
