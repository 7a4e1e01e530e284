// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope::app {

/// The word that was probably meant: of those that become the given one by few single letters left out, put in, replaced or
/// exchanged with their neighbour, the one with the fewest, and of these the first. A longer word that begins like the given
/// one counts as well.
std::optional<std::string> nearestWord(std::string_view given, std::span<const std::string_view> words);

} // namespace headscope::app
