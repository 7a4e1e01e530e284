// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/router.h"

#include <fmt/format.h>

namespace headscope::core {

std::string_view toString(GateKind gate)
{
    switch (gate) {
    case GateKind::SoftmaxAll: return "softmax over all";
    case GateKind::SoftmaxChosen: return "softmax over chosen";
    case GateKind::Sigmoid: return "sigmoid";
    case GateKind::Magnitude: return "magnitude";
    case GateKind::Binary: return "binary";
    case GateKind::L1Normalised: return "L1-normalised";
    case GateKind::OutputGate: return "output gate";
    }
    return "?";
}

std::string_view toString(Side side) { return side == Side::Source ? "source" : "destination"; }

namespace {

std::string_view gateSentence(GateKind gate)
{
    switch (gate) {
    case GateKind::SoftmaxAll: return "gate = softmax over all experts, not renormalised over the chosen";
    case GateKind::SoftmaxChosen: return "gate = softmax over the chosen experts, sums to 1";
    case GateKind::Sigmoid: return "gate = sigmoid of the logit, does not sum to 1";
    case GateKind::Magnitude: return "gate = |logit|, multiplies the pre-activation";
    case GateKind::Binary: return "gate = 1 for the chosen";
    case GateKind::L1Normalised: return "gate divided by the sum over the chosen, sums to 1";
    case GateKind::OutputGate: return "a sigmoid output gate";
    }
    return "";
}

} // namespace

std::string Router::legend() const
{
    const auto reads = side == Side::Source ? "reads the source token (key side)" : "reads the destination token (query side)";
    auto text = gate == GateKind::OutputGate ? fmt::format("no choice: {}; {}", gateSentence(gate), reads)
                                             : fmt::format("{} of {} experts; {}; {}", chosen, experts, gateSentence(gate), reads);
    if (expertsOfAllHeads)
        text += "; the heads share these experts";
    if (sharedWith)
        text += fmt::format("; the decision of {}", sharedWith->toString());
    return text;
}

RouterAddress SiteRouting::address(int head) const
{
    auto result = router.address;
    if (perHead)
        result.head = head;
    return result;
}

int SiteRouting::headOf(const RouterAddress& address) const
{
    if (address.wholeSite() != router.address)
        return -1;
    const int head = address.head.value_or(0);
    return head < heads ? head : -1;
}

} // namespace headscope::core
