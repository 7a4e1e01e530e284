// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/unit_decisions.h"
#include "core/stats/preferences.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

// Heads and experts of two sites X and Y, of which X has no more heads than Y: each of its heads finds one. Which of the two
// models X is, is the caller's business.

/// How well every expert of every head of X goes with every expert of every head of Y.
struct SiteScores {
    std::size_t headsX = 0, headsY = 0, expertsX = 0, expertsY = 0;
    std::vector<double> values; // [headsX, headsY, expertsX, expertsY]

    SiteScores() = default;
    SiteScores(std::size_t x, std::size_t y, std::size_t ofX, std::size_t ofY)
        : headsX(x), headsY(y), expertsX(ofX), expertsY(ofY), values(x * y * ofX * ofY, 0)
    {
    }
    std::size_t place(std::size_t x, std::size_t y) const { return (x * headsY + y) * expertsX * expertsY; }
    std::span<double> of(std::size_t x, std::size_t y)
    {
        return std::span(values).subspan(place(x, y), expertsX * expertsY);
    }
    std::span<const double> of(std::size_t x, std::size_t y) const
    {
        return std::span(values).subspan(place(x, y), expertsX * expertsY);
    }
};

/// Σ_u x_u(e)·y_u(f), separately for the units of every fold: [folds]. `fold`: [units]
std::vector<SiteScores> coselections(std::span<const UnitDecisions> x, std::span<const UnitDecisions> y,
                                     std::span<const std::uint16_t> fold, std::size_t folds);
SiteScores sum(std::span<const SiteScores> scores);
SiteScores difference(const SiteScores& from, const SiteScores& what);

/// Cosines of router rows; of a row of zeros 0. `x`, `y`: of every head, [experts, width], all of the same width.
SiteScores rowCosines(std::span<const MatrixRows> x, std::span<const MatrixRows> y);

/// The experts that every head of X would go with, of every head of Y, and how well.
struct HeadProposals {
    std::size_t headsX = 0, headsY = 0;
    std::vector<std::vector<int>> experts; // [headsX, headsY] of [experts of X]: Y's, -1 for none
    std::vector<double> values;            // [headsX, headsY]
};
/// Hungarian over experts for every pair of heads; the value is what that yields times `scale`. Of equally good ones that
/// which keeps more numbers.
HeadProposals bestExperts(const SiteScores& scores, double scale);
/// Experts keep their numbers, and the heads their places in the lists.
HeadProposals sameNumbers(std::size_t headsX, std::size_t headsY, int expertsX, int expertsY);

/// What one head of X goes with.
struct HeadMatching {
    std::size_t head = 0;     // index among the heads of Y
    std::vector<int> experts; // [experts of X]: Y's, -1 for none

    bool operator==(const HeadMatching&) const = default;
};
/// [heads of X]
using SiteMatching = std::vector<HeadMatching>;

/// The sites of a block have their heads in common: Hungarian over heads on the sum of what all sites propose. [sites]
std::vector<SiteMatching> agreeOnHeads(std::vector<HeadProposals> ofSites);

/// `ofSites`: of every site of a block, what it proposes for every fold. [sites, folds]
std::vector<std::vector<SiteMatching>> matchTogether(std::vector<std::vector<HeadProposals>> ofSites);

/// A matching of the whole for show, and those that the units of every fold are judged by.
struct FittedSite {
    SiteMatching whole;
    std::vector<SiteMatching> ofFold;
};
/// `ofSites`: of every site of a block, what it proposes for the whole and then for every fold. [sites]
std::vector<FittedSite> fitTogether(std::vector<std::vector<HeadProposals>> ofSites);

/// Share of the experts of a head of X for which every fold found the same of the same head; NaN with fewer than two folds.
double stability(const FittedSite& fitted, std::size_t head);
/// The expert of X for every expert of Y, -1 for none.
std::vector<int> inverted(std::span<const int> experts, int expertsY);

} // namespace headscope::core
