// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace headscope::core {

/// A name out of a file as it may stand in a sentence: in double quotes, shortened, control characters and broken UTF-8
/// escaped, so that a hostile name can neither fill the screen nor drive the terminal.
std::string quotedName(std::string_view name);

/// Any other text out of a file as it may stand in a sentence: as quotedName, without the quotes. Everything that a message
/// takes from a file goes through one of these, so that no file makes a message of megabytes.
std::string shortened(std::string_view text);

/// "[4000, 192]"; of more than a few sizes only the first and their number.
std::string shownShape(std::span<const std::int64_t> shape);

/// A path for the beginning of a sentence.
std::string shown(const std::filesystem::path& path);

/// Well-formed UTF-8 without surrogates or overlong forms.
bool isUtf8(std::string_view text);

/// The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD: fit for JSON.
std::string toUtf8(std::string_view text);

} // namespace headscope::core
