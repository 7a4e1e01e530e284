// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"

#include <random>
#include <vector>

namespace headscope::tests {

// What must hold for any trace; each reports through GoogleTest.

/// Attention is 0 outside what a query sees and sums to 1 inside.
void expectRowsSumToOne(const core::Trace& trace);
void expectTilesEqualWholeMaps(const core::Trace& trace);
/// Needs logits and two predictions.
void expectLossFollowsFromLogits(const core::Trace& trace);
/// Gates and choices are what the router's kind makes of the logits, in order of descending gate.
void expectGatesFollowFromLogits(const core::Trace& trace);
/// The same values within 1e-4 and the same choices, up to a choice that rounding may decide.
void expectSame(const core::Trace& whole, const core::Trace& reused);

/// Inserts, deletes and replaces at random places, mostly near the end as a person who types does.
std::vector<core::TokenId> edited(std::vector<core::TokenId> ids, std::int64_t vocabulary, std::mt19937& random);

} // namespace headscope::tests
