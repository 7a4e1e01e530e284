// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headscope::app {

/// Text out of a file or a vocabulary as it may stand on a terminal: one line, control and direction characters escaped ("\n", "\x1b",
/// "\u{202e}"), bytes that are not UTF-8 as "\xff".
std::string printable(std::string_view text);

/// Columns that a printable text takes on a terminal (wide East Asian characters take two, combining marks none).
std::size_t displayWidth(std::string_view printableText);

/// At most `width` columns of a printable text, ending in "…" where something was left out.
std::string shortened(std::string_view printableText, std::size_t width);

} // namespace headscope::app
