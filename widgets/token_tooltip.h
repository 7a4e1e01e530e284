// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <QString>

#include <optional>

namespace headscope::widgets {

/// What is written about one token: piece, id, bytes, and the decision of one router with its exact numbers, as rich text.
/// `router` may name nothing of this trace or a router of another stream; then there is no decision.
QString tokenTooltip(const core::Trace& trace, int stream, std::size_t token,
                     const std::optional<core::RouterAddress>& router);

/// The same in one line without numbers of losers, for screen readers.
QString tokenSentence(const core::Trace& trace, int stream, std::size_t token,
                      const std::optional<core::RouterAddress>& router);

/// What is written about bytes that the tokenizer dropped.
QString gapTooltip(const core::TokenizedText& text, core::ByteRange gap);

} // namespace headscope::widgets
