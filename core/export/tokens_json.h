// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/json_writer.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/tokens.h"

namespace headscope::core {

/// Writes, into the object that is open, the members of a tokenized text: `text`, `ids`, `pieces`, `spans`, `special`, `groups`, `gaps`.
/// Spans and gaps count bytes of the original text. Where the text or a piece is not UTF-8 its exact bytes follow as `textBase64` or
/// `piecesBase64` (null for the pieces that need none), since JSON can only carry a repaired form.
void writeTokenMembers(JsonWriter& json, const TokenizedText& text);

/// `{"split": "whole", "addBos": false, "addEos": false}`
void writeTextPolicy(JsonWriter& json, const TextPolicy& policy);

/// What a tokenizer is, by its file's name alone: `{"description": …, "file": …, "pieces": n}`, or null without one.
void writeTokenizer(JsonWriter& json, const Tokenizer* tokenizer);

} // namespace headscope::core
