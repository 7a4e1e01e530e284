// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: what every pass that runs a model over a corpus needs to know first.

#include "core/corpus/counts.h"
#include "core/corpus/documents.h"
#include "core/trace/model.h"

#include <cstdint>
#include <string>

namespace headscope::core {

/// Tokens of a window: those given, or the length of training. Throws Error where the model cannot be run over a corpus (no
/// tokenizer, no router, no length), or where nothing would be left of a window without its first positions.
std::int64_t windowLength(const Model& model, std::int64_t given, std::int64_t skipFirst);

/// What a pass depends on besides the corpus, as far as model and windows say it: no groups, words, tags or frequent tokens.
CountBasis basisOf(const Model& model, const std::string& fingerprint, const DocumentSplit& documents, std::int64_t window,
                   std::int64_t skipFirst);

/// How many windows run at the same time: so many as given, or as there are processors (on a device: one).
int threadsFor(const ModelInfo& info, int given);

} // namespace headscope::core
