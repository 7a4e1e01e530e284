// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/families/parameter_table.h"
#include "core/missing_parameters.h"
#include "core/trace/model_info.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// The hyper-parameters of a checkpoint, read as a family's table says (parameter_table.h). Remembers what was asked, where
/// it came from and what gave way to it. What the user wrote must be known to the table; what a training code left and
/// nobody knows becomes a note.
class Arguments
{
public:
    /// Throws Error: a key that the user wrote is unknown, or one that decides what the model is has no value it could have.
    Arguments(const Checkpoint& checkpoint, const ParameterTable& table);

    const ParameterTable& table() const { return m_table; }
    const Traits& traits() const { return m_traits; }
    bool is(std::string_view trait) const { return m_traits.contains(trait); }
    KeyClass classOf(std::string_view key) const { return m_table.classOf(key, m_traits); }

    bool empty() const { return m_values.empty(); }
    /// There and not "none".
    bool given(std::string_view key) const { return find(key) != nullptr; }
    /// As it was given; nullptr when absent or "none".
    const nlohmann::json* value(std::string_view key) const { return find(key); }
    /// nullopt when absent or "none". Throws Error when it is there and not of this kind.
    std::optional<std::int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    std::optional<std::string> text(std::string_view key) const;

    // The value that counts: the given one, else the table's default; remembered as a setting. Throws Error: not of this
    // kind, "none" where the table knows no none, absent where the table says that it must be given. A key without effect is
    // never refused: its default counts.
    std::int64_t integerInUse(std::string_view key);
    double numberInUse(std::string_view key);
    std::string textInUse(std::string_view key);
    bool flagInUse(std::string_view key); // 0 or 1
    /// A key that may be none: remembered where it is given.
    std::optional<std::int64_t> optionInUse(std::string_view key);

    /// Throws Error where the key is there but none, and the table knows no none.
    void refuseNone(std::string_view key) const;

    /// Remembers a key without effect as a setting.
    void mention(std::string_view key);

    /// As integerInUse and flagInUse, with the default written out once more: it must be the table's.
    std::int64_t integer(std::string_view key, std::int64_t fallback);
    bool flag(std::string_view key, bool fallback);

    /// What the tensors say of a key that they confirm; `where` names them, for a sentence. Another value is refused where
    /// the table says that the key cuts tensors, and so are tensors that say two things; else it becomes a note and the
    /// tensors are followed. Where the key may be none, `none` is what none, or no value at all, stands for.
    void confirm(std::string_view key, std::int64_t value, std::string_view where,
                 std::optional<std::int64_t> none = std::nullopt);
    void confirm(std::string_view key, std::string_view value, std::string_view where);

    /// Throws Error: "<file>: <key> is <value>, which Headscope does not support: <why>."
    [[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view why) const;
    /// Throws MissingParameters that names all keys that must be given (the table says which) and are not; `about` says what
    /// the tensors allow for a key.
    void requireGiven(const std::function<MissingParameter(std::string_view key)>& about) const;
    /// Throws Error "<file>: <sentence>"
    [[noreturn]] void contradiction(std::string_view sentence) const;
    /// "transformer.n_heads is 4 (run_invariants.args)"
    std::string said(std::string_view key) const;
    /// The source that counts for a key: "args.json"; empty where it is absent.
    std::string sourceOf(std::string_view key) const;

    const std::vector<Setting>& settings() const { return m_settings; }
    /// What was odd, with the keys that have no effect or are unknown.
    std::vector<std::string> notes() const;
    void note(std::string sentence);
    const std::string& file() const { return m_file; }

private:
    const nlohmann::json* find(std::string_view key) const; // nullptr when absent or none
    bool missing(std::string_view key) const;
    /// nullptr when the default counts. Throws Error as the functions …InUse do.
    const nlohmann::json* valueInUse(std::string_view key);
    void remember(std::string_view key, std::string value);
    bool inactive(std::string_view key); // then it is remembered as it is
    void confirmValue(std::string_view key, const std::string& value, std::string_view where);
    void refuseUnknownKeys() const;
    std::vector<std::string> unknownKeys() const;
    std::vector<std::string> keysWithoutEffect() const;

    const ParameterTable& m_table;
    std::vector<ParameterSource> m_sources;
    nlohmann::json m_values;
    std::string m_file;
    Traits m_traits;
    std::vector<Setting> m_settings;
    std::vector<std::string> m_notes;
};

} // namespace headscope::core
