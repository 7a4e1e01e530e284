// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace headscope::core {

/// A piece or a word as a reader sees it on paper, one line of valid UTF-8: a space and SentencePiece's word mark (U+2581)
/// are "␣", tab, line feed and carriage return "⇥", "↵" and "⇤", other characters without a shape "U+200E", bytes that are
/// not UTF-8 "\xFF".
std::string displayed(std::string_view text);

} // namespace headscope::core
