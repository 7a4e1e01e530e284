// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/alignment.h"
#include "core/progress.h"
#include "core/routing/address.h"
#include "core/stats/preferences.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::core {

// Two models on the same text (design.md §5, Agreement). Experts and heads of two runs are arbitrary numbers: what
// corresponds to what is found on other text than it is judged on. Symbols: u a unit of the alignment, x_u(e) the share of
// u's bytes for whose tokens A chose expert e (0 or 1 where tokenizers agree), y_u(f) the same of B, π the matching of A's
// experts to B's.

/// How experts (and heads) of A find their counterparts in B.
enum class Matching : std::uint8_t {
    Identity,    // the same number: two steps of one run
    Coselection, // Hungarian on Σ_u x_u(e)·y_u(f) over the text it is fitted on; heads by what the experts of all sites of a
                 // block reach
    Weights, // Hungarian on the cosine of router rows; heads by the mean cosine of their matched rows
};
std::string_view toString(Matching matching); // "identity", "coselection", "weights"
std::optional<Matching> matchingFromString(std::string_view name);

struct CompareSettings {
    /// none: identity within one run (same family, shapes of routers and hyper-parameters, files side by side), else
    /// co-selection.
    std::optional<Matching> matching;
    /// Pairs by hand, A's address then B's; an address without head names all heads of a site. What is not named is paired
    /// as always.
    std::vector<std::pair<RouterAddress, RouterAddress>> pairs;
    /// Without a text of its own to fit on, the matching is cross-fitted over so many parts of the text: every folds-th of
    /// some thirty stretches.
    int folds = 2;
    int nullReplicates = 200;      // 0: no null; half of them permute A, half B
    int bootstrapReplicates = 500; // 0: no interval; they are computed and not drawn, so that any other number is the same
    /// Of counts: tokens that occur less often in both are not judged.
    std::int64_t minimumTokens = 0;
    std::uint64_t seed = 1;

    bool operator==(const CompareSettings&) const = default;
};

/// What two models did with one text, and what else is known of them.
struct ComparedTraces {
    std::shared_ptr<const Trace> a;
    std::shared_ptr<const Trace> b;
};

/// Rows of the routers of a model, for Matching::Weights; empty where there are none. [experts, width]
using RouterRows = std::function<MatrixRows(const RouterAddress&)>;

/// [low, high], a 95 % interval; NaN where there is none.
struct Interval {
    double low = 0;
    double high = 0;
};

/// Where an agreement is beside its null. The share of draws that reach it is known up to their number: another seed draws
/// others.
enum class NullVerdict : std::uint8_t {
    None,   // no null
    Inside, // more than 2.5 % reach it, whatever the seed
    AtEdge, // 2.5 % lies in the 95 % interval of that share (Clopper and Pearson 1934): more draws would tell
    Above,  // fewer than 2.5 %
};
std::string_view toString(NullVerdict verdict); // "", "inside", "at the edge", "above"
NullVerdict nullVerdict(int exceeded, int draws);

/// How well a router of B does what a router of A does.
struct RouterComparison {
    RouterAddress a, b;
    int expertsA = 0, expertsB = 0;
    int chosenA = 0, chosenB = 0;
    Matching matching = Matching::Identity;
    /// π, [expertsA]: B's expert, -1 for none. Cross-fitted: that of the whole text, for show, as is which heads a and b
    /// correspond; every stretch is judged by the matching of heads and experts that the others found. Only the mutual
    /// information is that of a and b as shown.
    std::vector<int> expertOfB;
    double stability = 0; // share of the experts (of the side with fewer heads) that every fold matches the same; NaN when
                          // there are no folds

    double agreement = 0; // mean over units of Σ_e min(x_u(e), y_u(π e)) / min(k_A, k_B)
    double chance = 0;    // Σ_e i_A(e)·i_B(π e) / min(k_A, k_B), i(e) = n(e)/N
    /// The most that could be reached where experts are left unmatched: both sides' choices among matched experts.
    double bound = 0;
    double nullMean = 0; // A's or B's choices permuted over token types and matched as before; NaN without a null
    Interval null;       // [2.5 %, 97.5 %] of the replicates
    NullVerdict verdict = NullVerdict::None;
    int nullExceeded = 0;  // replicates that reach the agreement
    Interval interval;     // over stretches of units (core/compare/unit_intervals.h)
    int stretches = 0;     // how many
    bool intervalDoubtful = false; // units hang together over so long a way that it may be too short
    /// Jensen-Shannon divergence of the shares of selections of matched experts, bits in [0, 1]; where folds match
    /// differently the mean of theirs, by units.
    double loadDivergence = 0;
    /// Of the two choices over all k_A·k_B pairs of a unit, bits, minus the mean of a shuffled null.
    double mutualInformation = 0;
    /// Mean over the pairs of experts that the folds matched of Spearman's rank correlation of their gates over the units of
    /// these folds (0: not chosen).
    double gateCorrelation = 0;
    std::vector<double> gateCorrelations; // [expertsA], of the pairs that are shown; NaN where undefined or found by no fold
    std::vector<float> unitAgreement;     // [units]; NaN where there is no decision

    bool tooLittleText = false; // units·k < 50·E and matched by co-selection: the matching is not to be trusted
    std::vector<std::string> notes;
};

/// A router that has no counterpart.
struct UnpairedRouter {
    RouterAddress address;
    std::string why; // "B has no layer at this relative depth", …
};

/// One unit of the text.
struct UnitComparison {
    ByteRange bytes;
    double agreement = 0; // mean over the router pairs that have a choice here; NaN when there is none
    double lossA = 0;     // nats, summed over the tokens of the unit; NaN where a token has none (the first)
    double lossB = 0;
    double divergence = 0; // KL(A‖B) of the next-token distributions behind this unit, nats; NaN where tokenizers differ or
                           // it was not computed
    std::int64_t contextA = 0; // tokens before the unit that the model could see
    std::int64_t contextB = 0;
};

/// Whole-text summary of the loss on the bytes both predict (units whose both losses are known). NaN for texts given by ids,
/// which have no bytes.
struct LossComparison {
    std::int64_t bytes = 0;
    double bitsPerByteA = 0;
    double bitsPerByteB = 0;
    Interval difference; // of B - A, bits per byte, over stretches of the text (core/compare/unit_intervals.h)
    int differenceStretches = 0;
    bool differenceDoubtful = false; // the interval may be too short
};

enum class WithIntervals : std::uint8_t { No, Yes };

struct Comparison {
    std::shared_ptr<const ModelInfo> a, b;
    CompareSettings settings;
    Matching matching = Matching::Identity; // that was used
    std::string whyMatching;                // a sentence: why this one
    bool crossFitted = false;
    Alignment alignment;
    std::vector<RouterComparison> routers;
    std::vector<UnpairedRouter> onlyA, onlyB;
    std::vector<UnitComparison> units;
    LossComparison loss;
    double agreement = 0;           // mean over the router pairs that have a choice; NaN without any
    std::vector<std::string> notes; // sentences: too little text, what could not be compared and why

    /// nullptr when this router was not paired; the first where it was paired with several (a `qo` with every `o`).
    const RouterComparison* ofA(const RouterAddress& address) const;
    const RouterComparison* ofB(const RouterAddress& address) const;
};

/// What is compared beyond the traces of the text.
struct CompareExtras {
    std::optional<ComparedTraces> fit; // of another text: the matching is fitted there instead of cross-fitted
    RouterRows rowsA, rowsB;           // for Matching::Weights
    std::vector<float> divergence;     // [tokens] KL(A‖B) behind each token (nextTokenDivergence); empty: not computed
};

/// Compares what A and B did with a text. The same seed gives the same numbers on every machine. Throws Error (not the same
/// text, weights wanted without rows, a pair by hand that does not exist); Cancelled.
Comparison compareTraces(const ComparedTraces& traces, const CompareSettings& settings, const CompareExtras& extras = {},
                         const Progress& progress = {});

} // namespace headscope::core
