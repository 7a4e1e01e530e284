// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/routing_function.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace headscope::core::nn {
namespace {

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

/// What experts are ranked by. NaN ranks last: comparisons with it would make the order depend on the algorithm.
float score(float logit, GateKind gate)
{
    if (std::isnan(logit))
        return -std::numeric_limits<float>::infinity();
    return gate == GateKind::Magnitude ? std::abs(logit) : logit;
}

/// The k+1 best of one router (k when k = E), best first, ties by lower index: one pass, insertion into a short list.
void rank(std::span<const float> logits, GateKind gate, std::size_t wanted, std::vector<std::int32_t>& best)
{
    best.clear();
    for (std::size_t expert = 0; expert < logits.size(); ++expert) {
        const float value = score(logits[expert], gate);
        if (best.size() == wanted && value <= score(logits[best.back()], gate))
            continue;
        auto place = best.end();
        while (place != best.begin() && score(logits[*(place - 1)], gate) < value)
            --place;
        best.insert(place, static_cast<std::int32_t>(expert));
        if (best.size() > wanted)
            best.pop_back();
    }
}

double sumOfExponentials(std::span<const float> logits, double shift)
{
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit) - shift);
    return sum;
}

/// Gates of the chosen experts, in their order.
void gatesOf(std::span<const float> logits, std::span<const std::int32_t> chosen, GateKind gate, std::span<float> gates)
{
    const double largest = chosen.empty() ? 0 : logits[chosen[0]];
    switch (gate) {
    case GateKind::SoftmaxAll: {
        const double sum = sumOfExponentials(logits, largest);
        for (std::size_t slot = 0; slot < chosen.size(); ++slot)
            gates[slot] = static_cast<float>(std::exp(logits[chosen[slot]] - largest) / sum);
        return;
    }
    case GateKind::SoftmaxChosen: {
        double sum = 0;
        for (const auto expert : chosen)
            sum += std::exp(logits[expert] - largest);
        for (std::size_t slot = 0; slot < chosen.size(); ++slot)
            gates[slot] = static_cast<float>(std::exp(logits[chosen[slot]] - largest) / sum);
        return;
    }
    case GateKind::L1Normalised: {
        double sum = 0;
        for (const auto expert : chosen)
            sum += sigmoid(logits[expert]);
        for (std::size_t slot = 0; slot < chosen.size(); ++slot)
            gates[slot] = static_cast<float>(sigmoid(logits[chosen[slot]]) / sum);
        return;
    }
    case GateKind::Sigmoid:
    case GateKind::OutputGate:
        for (std::size_t slot = 0; slot < chosen.size(); ++slot)
            gates[slot] = static_cast<float>(sigmoid(logits[chosen[slot]]));
        return;
    case GateKind::Magnitude:
        for (std::size_t slot = 0; slot < chosen.size(); ++slot)
            gates[slot] = std::abs(logits[chosen[slot]]);
        return;
    case GateKind::Binary: std::fill(gates.begin(), gates.end(), 1.0F); return;
    }
}

} // namespace

Choices decide(std::span<const float> logits, const RoutingRule& rule)
{
    assert(rule.chosen >= 1 && rule.chosen <= rule.experts);
    const auto experts = static_cast<std::size_t>(rule.experts);
    const auto chosen = static_cast<std::size_t>(rule.chosen);
    const std::size_t routers = logits.size() / experts; // tokens · heads
    Choices choices;
    choices.experts.resize(routers * chosen);
    choices.gates.resize(routers * chosen);
    choices.margins.resize(routers);
    std::vector<std::int32_t> best;
    best.reserve(chosen + 2);
    for (std::size_t router = 0; router < routers; ++router) {
        const auto row = logits.subspan(router * experts, experts);
        rank(row, rule.gate, std::min(chosen + 1, experts), best);
        const std::span<const std::int32_t> selected(best.data(), chosen);
        std::copy(selected.begin(), selected.end(), choices.experts.begin() + static_cast<std::ptrdiff_t>(router * chosen));
        gatesOf(row, selected, rule.gate, std::span(choices.gates).subspan(router * chosen, chosen));
        choices.margins[router] = chosen < experts ? score(row[best[chosen - 1]], rule.gate) - score(row[best[chosen]], rule.gate)
                                                   : std::numeric_limits<float>::quiet_NaN();
    }
    return choices;
}

} // namespace headscope::core::nn
