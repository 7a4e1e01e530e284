// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <QString>

#include <string_view>

namespace headscope::widgets {

/// The sign that stands for a space in everything shown of a token.
inline constexpr char16_t spaceSign = u'\u2423'; // ␣

/// What a character looks like where every character must be seen and none may change how its neighbours are drawn: ␣ for a
/// space, ⇥ tab, ↵ line feed, ⇤ carriage return, "\x1B" for other controls, "U+202E" for what has no shape (bidirectional
/// controls, separators, zero-width characters, noncharacters), the character itself otherwise. (The control pictures of
/// Unicode are missing in usual fonts.)
QString visibleCharacter(char32_t character);

/// Text for the eye. Bytes that are no UTF-8 are shown as "\xF0"; a mark without a letter before it gets a dotted circle.
QString visibleText(std::string_view bytes);

/// The piece as the vocabulary spells it, with SentencePiece's ▁ as ␣.
QString visiblePiece(const core::Token& token);

/// "␣×37" for a run of one space or control, the beginning and … for what is longer than `length` characters, the text
/// itself otherwise.
QString shortened(const QString& visible, int length);

/// Keeps a text of any direction from changing the order of what stands around it.
QString isolated(const QString& text);

} // namespace headscope::widgets
