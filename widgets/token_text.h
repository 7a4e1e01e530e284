// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <QString>

namespace headscope::widgets {

/// "12 ␣fox": the place in the text and the piece, which keeps its direction to itself.
QString numberedPiece(const core::Token& token, std::int64_t index);

} // namespace headscope::widgets
