// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace headscope::core {

/// What two spellings of one word have in common: NFC, without default-ignorable characters (zero-width space, soft hyphen, word joiner,
/// byte-order mark, …). What is not UTF-8 stays as it is.
std::string wordKey(std::string_view word);

/// Whether a character is default-ignorable: it shows nothing and belongs to no word.
bool isIgnorable(char32_t character);

} // namespace headscope::core
