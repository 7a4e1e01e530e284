// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "core/stats/router_table.h"

#include <string>
#include <vector>

namespace headscope::core {

/// What one expert did. Undefined values are NaN.
struct ExpertSummary {
    int expert = 0;
    std::int64_t selections = 0; // n(e)
    double share = 0;            // f_e = n(e)/(kN)
    double relative = 0;         // E·f_e: 1 is uniform load
    double meanGate = 0;         // G(e)/n(e); NaN when never chosen
    double meanProbability = 0;  // P_e = Σ softmax(logits)_e / N; NaN for routers that are no softmax
    double tokenEntropy = 0;     // H(T|e) = -Σ_t P(t|e)·log2 P(t|e), bits, of selections; NaN when never chosen
    double effectiveTokens = 0;  // 2^H: as many equally frequent tokens would have that entropy
    double pmiBound = 0;         // log2(N/n(e)): PMI of a token that always picks this expert; NaN when never chosen
};

/// How evenly one router loads its experts, and the baselines that its tables are read against. Undefined values are NaN.
struct RouterSummary {
    Load load; // selections, gate mass, entropy / log E with its expectation under uniform routing, dead experts
               // (core/routing/router.h)
    std::vector<ExpertSummary> experts;
    double maxViolation = 0; // max_e E·f_e - 1 (Wang et al. 2024, MaxVio)
    double gini = 0;         // of the shares: Σ_a Σ_b |f_a - f_b| / (2E): 0 is uniform, 1 - 1/E one expert takes all
    double withinBand = 0;   // share of experts with E·f_e in [0.7, 1.3]
    double balanceLoss = 0; // L_a = E·Σ_e f_e·P_e (Shazeer et al. 2017; Fedus et al. 2022, without its factor); 1 is uniform
    double zLoss = 0;       // L_z = mean of (log Σ_e exp logit_e)² (Zoph et al. 2022)
    std::string whyNoLosses; // a sentence when the two are blank
    double pmiBound = 0;     // log2(E/k): PMI of a token that always picks the same k experts, under uniform load
    /// Chance baselines, with i(e) = n(e)/N. Two random positions share Σ_e i(e)²/k of their experts.
    double chanceOverlap = 0;
    double uniformOverlap = 0; // k/E: the same under uniform load
    /// Share of the choices that are guessed by whoever always names the k most loaded experts …
    double constantGuess = 0;
    /// … and by whoever names for each token its own k most frequent experts (on the text it was learned on, so rare tokens
    /// flatter it).
    double tokenGuess = 0;
};
RouterSummary routerSummary(const RouterTable& table);

/// P(e|tag) against load.
struct TagLoad {
    std::string name; // empty: positions without a tag
    std::int64_t positions = 0;
    std::vector<double> share; // [E], P(e|tag) = n(tag,e)/(k·n(tag)); NaN for a tag without positions
    std::vector<double> lift;  // [E], P(e|tag)/p(e); NaN for an expert that was never chosen
};
/// Empty where no tags were counted.
std::vector<TagLoad> tagLoads(const RouterTable& table);

} // namespace headscope::core
