// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/corpus/counts.h"
#include "core/stats/pair_statistics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core {

// Two models over a corpus, from what was counted of each. Counts do not say what the two did at one position, but what each
// does with a token: P(e|t) = n(t,e)/n(t), the share of t's occurrences at which e is chosen (Σ_e P(e|t) = k). m(t) is the
// mean of t's shares of the positions of both.

/// How well a router of B does what a router of A does, as far as the token decides.
struct CountedRouterComparison {
    RouterAddress a, b;
    int expertsA = 0, expertsB = 0;
    int chosenA = 0, chosenB = 0;
    /// π, [expertsA]: B's expert, -1 for none. Found on the whole corpus, for show; each half is judged by the matching of
    /// the other.
    std::vector<int> expertOfB;
    /// Share of the experts (of the side with fewer heads) that both halves match the same; NaN when not cross-fitted.
    double stability = 0;
    /// Σ_t m(t)·Σ_e P_A(e|t)·P_B(π e|t) / min(k_A, k_B) / Σ_t m(t): the agreement of two that decide independently given the
    /// token, over the tokens that both know.
    double expectedAgreement = 0;
    double chance = 0;         // the same not given the token: Σ_e i_A(e)·i_B(π e) / min(k_A, k_B), i(e) = n(e)/N
    /// Jensen-Shannon divergence of the shares of selections, bits; matched experts share a cell. Where halves match
    /// differently the mean of theirs, by positions.
    double loadDivergence = 0;
    std::vector<std::string> notes;
};

struct CountsComparison {
    CompareSettings settings; // of which matching, pairs and minimumTokens are used
    Matching matching = Matching::Coselection;
    std::string whyMatching;  // a sentence
    bool crossFitted = false; // over the halves of the bootstrap groups: documents
    bool sameCorpus = false;
    std::vector<CountedRouterComparison> routers; // in order of A's forward pass
    std::vector<UnpairedRouter> onlyA, onlyB;
    double expectedAgreement = 0; // mean over the router pairs that have a choice; NaN without any
    std::vector<std::string> notes;
};

/// Experts are matched on C(e,f) = Σ_t m(t)·P_A(e|t)·P_B(f|t), which is Σ_t n_A(t,e)·n_B(t,f)/n(t) divided by N for one
/// corpus; by default always, as counts do not tell whether they are of one run (those of one checkpoint keep their
/// numbers). Throws Error when the tokenizers differ, weights are wanted without rows, a pair by hand does not exist;
/// Cancelled.
CountsComparison compareCounts(const Counts& a, const Counts& b, const CompareSettings& settings,
                               const CompareExtras& extras = {}, const Progress& progress = {});

/// What a token has to do with an expert of A and with its counterpart. Blank values are NaN: that pair was never seen, or
/// the token is too rare.
struct TokenDifference {
    TokenId id = 0;
    std::string piece; // as the vocabulary spells it
    int expertA = 0, expertB = 0;
    std::int64_t tokenA = 0, tokenB = 0; // n(t)
    std::int64_t countA = 0, countB = 0; // n(t,e)
    double pmiA = 0, pmiB = 0;
    double difference = 0; // PMI of B minus that of A
};

/// Every token with every pair of matched experts of which one was chosen for it, and whose n(t) reaches the minimum in A or
/// B: by A's expert, then the larger of the two PMI descending. `routers` is one of CountsComparison::routers of these
/// counts.
std::vector<TokenDifference> tokenDifferences(const Counts& a, const Counts& b, const CountedRouterComparison& routers,
                                              const PairSettings& settings = {}, const Progress& progress = {});

} // namespace headscope::core
