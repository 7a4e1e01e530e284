// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

class Arguments;

/// What a hyper-parameter is to a model.
enum class KeyClass : std::uint8_t {
    Cut, // confirmed by the weights: it says how tensors are cut or what they are; a value that does not fit them is refused
    Settled,  // confirmed by the weights, which settle it alone: another value becomes a note and the tensors are followed
    Free,     // nothing in the weights confirms it: another value gives another trace
    Texts,    // as Free, but for how a text becomes ids: the trace of given ids stays
    Inactive, // without effect in this model: a note when it is not the training code's default
    Training, // no model knows it: taken without a word
};

/// "confirmed, another value is refused", … as in docs/checkpoints.md
std::string_view toString(KeyClass kind);

/// What a model is, as far as it decides which hyper-parameters act: "rotary", "memory", … Each family names its own.
using Traits = std::set<std::string, std::less<>>;

/// One row of a family's table. A key may have several rows with different conditions: the first that holds counts; a key of
/// which none holds is inactive.
struct ParameterKey {
    std::string_view name = {}; // "moe.att.k"; one that ends in "*" stands for all that begin so
    KeyClass kind = KeyClass::Training;
    std::string_view fallback =
        {};                     // the training code's default, as it would be written; "none" also says that none is a value
    std::string_view acts = {}; // condition, see `holds`; empty: always
    std::string_view must =
        {}; // condition under which it has to be given, where it acts; empty: the fallback, or the tensors, stand in
    std::string_view words =
        {}; // its values where they are words: "sigmoid, softmax"; those that mean the same are joined: "a=b, c"
    std::string_view meaning = {};
};

/// A tensor that is known and has no part in the model. `name` may hold "*" for one part between dots.
struct IgnoredTensor {
    std::string_view name;
    std::string_view why;
};

/// Everything a family's code says about hyper-parameters. The code reads its defaults from here, `info` and the notes know
/// from here what is confirmed and what is known, and docs/checkpoints.md shows it.
struct ParameterTable {
    std::string_view family;
    std::span<const ParameterKey> keys;
    std::span<const IgnoredTensor> ignored;
    /// From the names and shapes of the tensors and from the hyper-parameters themselves.
    Traits (*traits)(const Checkpoint& checkpoint, const Arguments& arguments) = nullptr;

    bool knows(std::string_view key) const;
    /// The row that counts; nullptr where the key is unknown or no row's condition holds.
    const ParameterKey* row(std::string_view key, const Traits& traits) const;
    KeyClass classOf(std::string_view key, const Traits& traits) const;
    /// Of any row; empty where there is none.
    std::string_view fallback(std::string_view key) const;
    /// The known key that an unknown one is most like; empty where none is like it.
    std::string_view nearest(std::string_view key) const;
    bool ignores(std::string_view tensor) const;
};

/// Words with spaces between: all must be among the traits. "!word": must not; "a|b": one of them; "always" holds, and so
/// does an empty condition.
bool holds(std::string_view condition, const Traits& traits);

/// The tables of all families, in the order of families().
std::span<const ParameterTable* const> parameterTables();

/// The shape of a tensor; empty where there is none of this name.
std::vector<std::int64_t> shapeOf(const Checkpoint& checkpoint, std::string_view name);

/// Whether a value among hyper-parameters says the same as a word of a table: 4, "4" and 4.0 do, null and "none", true and
/// "1".
bool sameValue(const nlohmann::json& value, std::string_view word);

/// "a" and "b" of "a, b=c": every value of a list of words, in order.
std::vector<std::string> wordsOf(std::string_view words);

} // namespace headscope::core
