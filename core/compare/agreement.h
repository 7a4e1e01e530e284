// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/unit_decisions.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

// One router x against the routers y of the other model that it goes with. Where the matching is cross-fitted, these and the
// experts' numbers differ by fold: what is found on the other folds. ρ: the expert of y for an expert of x. Units at which
// one of the two decides nothing do not count.

struct Counterpart {
    const UnitDecisions* decisions = nullptr; // y
    std::span<const int> experts;             // ρ, [experts of x], -1 for none
};

struct AgainstFolds {
    std::span<const Counterpart> ofFold; // [folds]
    std::span<const std::uint16_t> fold; // [units]

    const Counterpart& of(std::size_t unit) const { return ofFold[fold[unit]]; }
    bool decides(const UnitDecisions& x, std::size_t unit) const
    {
        return x.decides(unit) && of(unit).decisions->decides(unit);
    }
};

/// Σ_e min(x_u(e), y_u(ρ e)) / min(k_x, k_y), [units]; NaN where one decides nothing.
std::vector<float> unitAgreement(const UnitDecisions& x, const AgainstFolds& y);
/// Over the units that have a value; NaN without any.
double meanAgreement(std::span<const float> units);
/// What two deciding independently of each other would reach: Σ_e i_x(e)·i_y(ρ e) / min(k_x, k_y), i(e) = Σ_u x_u(e) /
/// units, averaged over the units' ρ. NaN without units.
double chanceAgreement(const UnitDecisions& x, const AgainstFolds& y);
/// The mean over units of the most that could agree there, given what was chosen among experts that have none opposite and
/// how many are chosen: min(Σ_e matched x_u(e), Σ_f matched y_u(f), k) / k with k = min(k_x, k_y).
double reachableAgreement(const UnitDecisions& x, const AgainstFolds& y);
/// Jensen-Shannon divergence of the shares of selections, bits. Matched experts share a cell, others have their own. Folds
/// that match alike are taken together, others each on its own: the mean over units. NaN without units.
double loadDivergence(const UnitDecisions& x, const AgainstFolds& y);
/// Spearman's rank correlation of the gates of an expert of x and of one of y over the units of the folds that matched them.
struct GateCorrelations {
    /// Over all pairs that a fold matched, each weighing as much as it has units; NaN without any.
    double mean = 0;
    /// Of the pairs of `shown`, [experts of x]; NaN where there is none, where no fold found it, or where one is constant.
    std::vector<double> ofShown;
};
GateCorrelations gateCorrelations(const UnitDecisions& x, const AgainstFolds& y, const Counterpart& shown);

/// Mutual information of an expert that x chose and one that y chose at the same unit, each of the k_x·k_y pairs alike,
/// bits; less what remains of it, on the mean, when y's units are shuffled. Slightly negative where there is none.
double jointInformation(const UnitDecisions& x, const UnitDecisions& y, SeededRandom random);

} // namespace headscope::core
