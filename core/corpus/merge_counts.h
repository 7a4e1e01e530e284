// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/progress.h"

#include <span>
#include <string>

namespace headscope::core {

/// Counts and the name they go by in sentences (the file).
struct NamedCounts {
    std::string name;
    Counts counts;
};

/// Adds counts of parts of one corpus, or of several corpora. All parts of a corpus give exactly what counting it whole gives. Throws Error
/// when they cannot be added: other weights, tokenizer, text policy, settings, list of frequent tokens, or the same text twice. Cancelled.
Counts mergeCounts(std::span<const NamedCounts> counts, const Progress& progress = {});

/// What differs between two sets of counts that would have to be the same to add them ("the tokenizer"); empty when nothing does.
std::string differenceOf(const Counts& a, const Counts& b);

} // namespace headscope::core
