// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace headscope::core {

/// Parses JSON that a file brought along: duplicate keys and nesting beyond 100 levels are refused, so that nothing in it
/// can hide behind a later key or exhaust the stack of whoever walks it. `where` begins every message. Throws Error.
nlohmann::json parseStrictJson(std::string_view text, const std::string& where);

/// A JSON file that holds an object, of hyper-parameters for instance; one with more values than such a file can have is refused.
/// Throws Error.
nlohmann::json readJsonObject(const std::filesystem::path& path);

} // namespace headscope::core
