// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <QString>

namespace headscope::widgets {

/// A token's piece as the vocabulary spells it, on one line, every character visible (visible_text.h).
QString pieceText(const core::Token& token);
/// "12 ␣fox": the place in the text and the piece.
QString numberedPiece(const core::Token& token, std::int64_t index);

} // namespace headscope::widgets
