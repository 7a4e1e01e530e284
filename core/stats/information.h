// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/stats/router_table.h"

#include <optional>
#include <span>
#include <string>

namespace headscope::core {

// How much of a router's choice is explained by what. A selection is drawn as in design.md §5: a position and one of its k
// slots, so that p(t,e) = n(t,e)/(kN). Whoever knows the position still does not know the slot: log2 k bits of H(E) cannot
// be explained by anything, and what can be is H(E) - log2 k.

/// Mutual information of selections with something, in bits.
struct Information {
    double bits = 0; // I = Σ p(x,e)·log2(p(x,e) / (p(x)·p(e)))
    /// The mean of I when the choices are shuffled over positions (all k of a position together). A cell n(x,e) of a
    /// shuffled table is hypergeometric(N, n(e), n(x)), whatever the other cells do, so the mean over all shuffles is the
    /// sum of the cells' means: exact, and no random numbers are needed (Vinh, Epps, Bailey 2010, equation 24a, for k = 1).
    double shuffledBits = 0;

    double explained() const { return bits - shuffledBits; }
};

/// Of one table of classes × experts: `cells` sorted by kind (their `row` is ignored).
Information information(std::span<const ClassedSelection> cells, int experts, int chosen);

/// One line of a decomposition.
struct Explained {
    Information information;
    /// explained() as a share of H(E) - log2 k of the whole table. For the token the shuffled mean is taken off there too,
    /// so that a choice that the token decides has 1 (adjusted mutual information, Vinh et al. 2010). May be slightly
    /// negative; NaN where a shuffled table explains all there is.
    double share = 0;
    double coverage = 1; // share of the positions it is computed on
};

/// I(E;T), I(E;P|T), I(E;B|T): T the token, P the token before it, B the bin of its place in the window. A conditional
/// information is Σ_t n(t)/N'·I_t over the tokens that have classes (N' positions), shuffled within each token. Of pooled
/// routers, whose cells are sums: for the token all routers of a position are shuffled together, within a token each on its
/// own.
struct Decomposition {
    double entropy = 0;     // H(E), bits
    /// H(E) less what nobody can know: which slot, log2 k; of M pooled routers which of them and which slot, the mean over
    /// positions of -Σ_e c(e)/(kM)·log2(c(e)/(kM)), c(e) of them choosing e. NaN where that was not counted.
    double explainable = 0;
    std::optional<Explained> token, previous, place;
    std::string whyBlank;     // a sentence where shares are blank (k = E, no positions, pools that were not counted)
    std::string whyNoContext; // a sentence where `previous` and `place` alone are blank
};
Decomposition decomposition(const RouterTable& table);

} // namespace headscope::core
