// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <memory>
#include <string_view>

namespace headscope::samples {

/// A comparison made by hand of two sample traces of one text: every router of A with the one of B in the same place of the
/// list, expert e of A with expert E_B - 1 - e of B, agreement by counting. Intervals and null are set around it. Tokens
/// with the same bytes are units; B's routers beyond those of A have no counterpart.
std::shared_ptr<core::Comparison> comparisonOf(const std::shared_ptr<const core::Trace>& a,
                                               const std::shared_ptr<const core::Trace>& b);

/// The trace with its tokens joined in twos where they follow each other inside a word: another tokenizer. The decisions are
/// those of the first.
std::shared_ptr<const core::Trace> withLongerTokens(const core::Trace& trace);

} // namespace headscope::samples
