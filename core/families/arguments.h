// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/missing_parameters.h"
#include "core/trace/model_info.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Hyper-parameters as training codes write them: a flat object whose numbers may be strings ("76"), whose flags are 0 and 1, whose absent
/// options are "none" or null. Remembers what was asked and where it came from.
class Arguments
{
public:
    explicit Arguments(const Checkpoint& checkpoint);

    bool empty() const { return m_values.empty(); }
    /// nullopt when absent or "none". Throws Error when it is there and not of this kind.
    std::optional<std::int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    std::optional<std::string> text(std::string_view key) const;

    /// With the training code's default for an absent key; the answer is remembered as a setting.
    std::int64_t integer(std::string_view key, std::int64_t fallback);
    double number(std::string_view key, double fallback);
    std::string text(std::string_view key, std::string_view fallback);
    bool flag(std::string_view key, bool fallback);

    /// What the shapes fix. A differing value among the hyper-parameters becomes a note; the setting says "shapes".
    void fixedByShapes(std::string_view key, std::int64_t value);

    /// Throws Error: "<file>: <key> is <value>, which Headscope does not support: <why>."
    [[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view why) const;
    /// Throws MissingParameters, with a sentence that names them all.
    [[noreturn]] void missing(std::vector<MissingParameter> parameters) const;
    /// Throws Error "<file>: <sentence>"
    [[noreturn]] void contradiction(std::string_view sentence) const;

    const std::vector<Setting>& settings() const { return m_settings; }
    const std::vector<std::string>& notes() const { return m_notes; }
    void note(std::string sentence) { m_notes.push_back(std::move(sentence)); }
    const std::string& file() const { return m_file; }

private:
    const nlohmann::json* find(std::string_view key) const; // nullptr when absent or none
    void remember(std::string_view key, std::string value, bool given);

    nlohmann::json m_values;
    std::string m_source;
    std::string m_file;
    std::vector<Setting> m_settings;
    std::vector<std::string> m_notes;
};

} // namespace headscope::core
