// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/agreement.h"
#include "core/compare/comparison.h"
#include "core/compare/pairing.h"
#include "core/compare/site_matching.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headscope::core {

/// The units that all routers of a comparison are judged on, and those that their matching is fitted on.
struct ComparedUnits {
    UnitTokens a, b;
    std::optional<UnitTokens> fitA, fitB; // of a text of its own
    std::vector<std::uint16_t> fold;      // [units of a]
    std::size_t folds = 1;                // 1: fitted once, on a text of its own or not by text at all
};

/// What of the two models belongs to a pair of sites.
struct ComparedSites {
    RoutedSite a, b;
    SiteDecisions decisionsA, decisionsB;
    std::vector<int> headsA, headsB;
    std::vector<MatrixRows> rowsA, rowsB; // of every head, for Matching::Weights
};

/// Which of the two models.
enum class ComparedSide : std::uint8_t { A, B };

/// All routers of a pair of sites: matched, judged, and judged again with the decisions of one side shuffled. The side with
/// fewer heads, or else the one that goes first, looks for counterparts among the other's heads; which it finds is for all
/// sites of a block to decide (BlockComparison).
class SiteComparison
{
public:
    /// Decisions of all heads of one side.
    struct SideDecisions {
        std::vector<UnitDecisions> judged, fit;
    };

    /// Outlived by `units`. `first`: whoever is A, so that exchanging A and B changes nothing. Throws Error where rows are
    /// missing or differ in width.
    SiteComparison(const ComparedUnits& units, ComparedSites sites, Matching matching, ComparedSide first);

    const ComparedSites& sites() const { return m_sites; }
    /// A side's decisions, where every token of it decides as `source` of it did.
    SideDecisions shuffled(ComparedSide side, std::span<const std::size_t> source) const { return decide(side, source); }
    /// What is best for the whole, and then for every fold.
    std::vector<HeadProposals> propose() const;
    /// The same with other decisions of one side, for every fold only.
    std::vector<HeadProposals> propose(ComparedSide side, const SideDecisions& decisions) const;
    void match(FittedSite fitted);
    const FittedSite& matched() const { return m_fitted; }
    /// One replicate of the null.
    void judge(ComparedSide side, const SideDecisions& decisions, const std::vector<SiteMatching>& ofFold);
    /// One for every head of the side with fewer, in order of A's heads.
    std::vector<RouterComparison> routers(WithIntervals intervals, std::uint64_t seed) const;
    /// Heads that found none.
    std::vector<UnpairedRouter> leftA() const { return m_swapped ? left() : std::vector<UnpairedRouter>(); }
    std::vector<UnpairedRouter> leftB() const { return m_swapped ? std::vector<UnpairedRouter>() : left(); }

private:
    SideDecisions decide(ComparedSide side, std::span<const std::size_t> source = {}) const;
    bool isX(ComparedSide side) const { return (side == ComparedSide::B) == m_swapped; }
    /// What is best for the whole (left out in shuffled ones, where nobody asks for it), and then for every fold.
    enum class Whole : std::uint8_t { Wanted, LeftOut };
    std::vector<HeadProposals> proposals(const SideDecisions& x, const SideDecisions& y, Whole whole) const;
    std::vector<Counterpart> counterparts(const std::vector<SiteMatching>& ofFold, const SideDecisions& y,
                                          std::size_t head) const;
    RouterComparison router(std::size_t head, WithIntervals intervals, std::uint64_t seed) const;
    void addNotes(RouterComparison& result, std::size_t head) const;
    std::vector<UnpairedRouter> left() const;

    const ComparedUnits* m_units;
    ComparedSites m_sites;
    Matching m_matching;
    bool m_swapped = false;               // X is B
    std::optional<HeadProposals> m_fixed; // where no decisions are needed to match
    SideDecisions m_x, m_y;
    FittedSite m_fitted;
    std::vector<std::vector<double>> m_null; // [heads of X, replicates]
};

/// Pairs of sites whose heads are the same: those of a pair of blocks.
class BlockComparison
{
public:
    BlockComparison(std::vector<SiteComparison> sites, Matching matching);

    /// One replicate of the null: every token of a side decides as `source` of it did, and heads and experts are matched
    /// anew (by number where that is how they are matched).
    void judgeShuffled(ComparedSide side, std::span<const std::size_t> source);
    const std::vector<SiteComparison>& sites() const { return m_sites; }

private:
    std::vector<SiteComparison> m_sites;
    Matching m_matching;
};

} // namespace headscope::core
