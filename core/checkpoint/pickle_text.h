// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::core {

/// The text forms in which pickle protocols 0 and 1 write numbers and strings.

struct PickleInteger {
    std::int64_t value = 0;
    bool fits = true; // in 64 bits; otherwise only the form was checked
};
/// nullopt when the text is no decimal integer.
std::optional<PickleInteger> parsePickleInteger(std::string_view text);

/// repr of a Python float: "1.5", "inf", "-inf", "nan".
std::optional<double> parsePickleFloat(std::string_view text);

/// A quoted Python literal ('it\'s\n'); nullopt when it is not quoted.
std::optional<std::string> decodePythonLiteral(std::string_view text);

/// Latin-1 text with \uXXXX and \UXXXXXXXX escapes, as UTF-8.
std::string decodeRawUnicodeEscape(std::string_view text);

} // namespace headscope::core
