// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace headscope::core {

// How training codes write values: numbers may be strings ("76"), flags are 0 and 1 or words, what is absent is "none" or
// null.

bool isNone(const nlohmann::json& value);
/// nullopt for what is no number.
std::optional<double> asNumber(const nlohmann::json& value);
/// For a sentence or a table; shortened.
std::string printedValue(const nlohmann::json& value);

} // namespace headscope::core
