// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// How a chosen expert's gate comes from the logits.
enum class GateKind : std::uint8_t {
    SoftmaxAll,    // softmax over all experts, then top-k; not renormalised
    SoftmaxChosen, // softmax over the k chosen logits; sums to 1
    Sigmoid,       // sigmoid of the logit; does not sum to 1
    Magnitude,     // |logit| multiplies the pre-activation
    Binary,        // 1 for the chosen, nothing for the others
    L1Normalised,  // sigmoids divided by their sum over the chosen
    OutputGate,    // a plain sigmoid gate, no choice (one expert)
};
std::string_view toString(GateKind gate); // "softmax over all", …

/// Which token a router reads: the key's (source) or the query's (destination).
enum class Side : std::uint8_t { Source, Destination };
std::string_view toString(Side side); // "source", "destination"

/// What a router is, apart from any text.
struct Router {
    RouterAddress address;
    int experts = 0; // E
    int chosen = 0;  // k
    GateKind gate = GateKind::Sigmoid;
    Side side = Side::Destination;
    int stream = 0;                          // index of the stream whose tokens it routes
    std::optional<RouterAddress> sharedWith; // uses the *decision* of that router (statistics count it once)
    std::optional<std::string> weightsGroup; // routers of one group apply the same weights (repeated layers)
    bool expertsOfAllHeads = false; // the routers of the site's heads choose among the same E weight matrices, not each among its own

    /// One line for a reader: "2 of 5 experts, sigmoid gates (not normalised), reads the source token".
    std::string legend() const;
};

/// All decisions of one site over a text. Slots are in order of descending gate, ties by lower expert index.
struct SiteRouting {
    Router router; // address without head; shared by all heads of the site
    int heads = 1;        // routers of this site
    bool perHead = false; // one router per attention head (then addresses end in .h<head>), also when there is just one head
    std::int64_t tokens = 0;
    std::vector<float> logits;         // [tokens, heads, experts]; empty when not kept
    std::vector<std::int32_t> experts; // [tokens, heads, chosen], index inside the head
    std::vector<float> gates;          // [tokens, heads, chosen], what the model multiplies with
    std::vector<float> margins;        // [tokens, heads]: k-th minus (k+1)-th score, in logits; NaN when nothing is rejected

    std::size_t slot(std::int64_t token, int head, int position) const
    {
        return (static_cast<std::size_t>(token) * heads + head) * router.chosen + position;
    }
    std::size_t logit(std::int64_t token, int head, int expert) const
    {
        return (static_cast<std::size_t>(token) * heads + head) * router.experts + expert;
    }
    std::size_t margin(std::int64_t token, int head) const { return static_cast<std::size_t>(token) * heads + head; }
    /// The address of one of its routers (with `.h<head>` when `perHead`).
    RouterAddress address(int head) const;
    /// Which router of this site an address names; the first when the address has no head; -1 when it is none of them.
    int headOf(const RouterAddress& address) const;
};

/// How evenly one router of a site loads its experts over a text.
struct Load {
    std::vector<std::int64_t> selections; // [experts]
    std::vector<double> gateMass;         // [experts], sum of gates
    double entropy = 0;                   // of the shares of selections divided by log E, in [0, 1]; 1 for E = 1
    double expectedEntropy = 0;           // the same under uniform routing at this number of tokens (Miller-Madow), for comparison
    int dead = 0;                         // experts never selected
};
Load loadOf(const SiteRouting& site, int head);

/// Margins below this value are doubtful: the larger of the rounding of bfloat16 at the logit (2^-8 relative) and the first percentile of
/// the router's own margins over the text (design.md §5).
struct DoubtThreshold {
    float percentile = 0; // first percentile of this router's margins
};
DoubtThreshold doubtThreshold(const SiteRouting& site, int head);
bool doubtful(const SiteRouting& site, std::int64_t token, int head, const DoubtThreshold& threshold);

} // namespace headscope::core
