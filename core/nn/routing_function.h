// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core::nn {

/// How logits become choices and gates.
struct RoutingRule {
    int heads = 1;   // routers that decide independently
    int experts = 1; // E, of each
    int chosen = 1;  // k
    GateKind gate = GateKind::Sigmoid;

    bool operator==(const RoutingRule&) const = default;
};

/// Slots in order of descending gate, ties by lower expert index, so that the same logits give the same choice on every machine.
struct Choices {
    std::vector<std::int32_t> experts; // [tokens, heads, chosen]
    std::vector<float> gates;          // [tokens, heads, chosen]
    std::vector<float> margins;        // [tokens, heads]; k-th minus (k+1)-th score in logits, NaN when nothing is rejected
};

/// The one place where routing is decided, for every family. `logits` are [tokens, heads, experts] in float32. Gates are computed as scalar
/// doubles and rounded once, so that they do not depend on vector width or thread count. A NaN logit is chosen last.
Choices decide(std::span<const float> logits, const RoutingRule& rule);

} // namespace headscope::core::nn
