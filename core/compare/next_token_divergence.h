// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/trace/next_token.h"
#include "core/trace/trace.h"

#include <vector>

namespace headscope::core {

/// A model's output head and what the model did with the text (TraceOptions::lastLayer).
struct TracedHead {
    const NextTokenHead& head;
    const Trace& trace;
};

/// KL(A‖B) = Σ_t p_A(t)·ln(p_A(t)/p_B(t)) of the distributions of the next token behind every token, nats: [tokens]. Both
/// heads run over some dozens of rows at a time; [tokens, vocabulary] never exists. The two must have the same vocabulary
/// (sameVocabulary) and the same tokens. Throws Error when they have not, or a trace has not kept its last layer; Cancelled.
std::vector<float> nextTokenDivergence(const TracedHead& a, const TracedHead& b, const Progress& progress = {});

} // namespace headscope::core
