// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/alignment.h"
#include "core/routing/router.h"
#include "core/stats/seeded_random.h"
#include "core/trace/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace headscope::core {

// Tokens are numbered over the texts that a comparison looks at, one behind the other: the one that is judged, then the one
// that the matching is fitted on, if there is one.

/// The tokens of every unit, without specials.
struct UnitTokens {
    std::vector<std::size_t> first{0}; // [units + 1]
    std::vector<std::size_t> token;
    /// Of the unit's bytes that a token stands for; all alike where none has bytes. They add up to 1 in every unit.
    std::vector<double> share;

    std::size_t units() const { return first.size() - 1; }
    std::span<const std::size_t> of(std::size_t unit) const
    {
        return std::span(token).subspan(first[unit], first[unit + 1] - first[unit]);
    }
};
/// `offset`: the number of the text's first token.
UnitTokens unitTokens(const TokenizedText& text, const std::vector<AlignedUnit>& units, TokenRange AlignedUnit::*side,
                      std::size_t offset);

/// The decisions of a site over both texts.
struct SiteDecisions {
    std::array<std::shared_ptr<const SiteRouting>, 2> parts; // the second may be null

    const Router& router() const { return parts[0]->router; }
    std::span<const std::int32_t> experts(std::size_t token, int head) const; // [chosen]
    std::span<const float> gates(std::size_t token, int head) const;          // [chosen]
};

/// What one router decides over units, sparse: each unit's entries have different experts.
struct UnitDecisions {
    int experts = 0;                   // E
    int chosen = 0;                    // k
    std::vector<std::size_t> first{0}; // [units + 1]; a unit without tokens has no entries
    std::vector<std::int32_t> expert;
    std::vector<double> share; // of the unit's bytes for whose tokens this expert was chosen; they add up to k
    std::vector<double> gate;  // mean over the unit's bytes, 0 where not chosen

    std::size_t units() const { return first.size() - 1; }
    bool decides(std::size_t unit) const { return first[unit] != first[unit + 1]; }
};
UnitDecisions unitDecisions(const SiteDecisions& site, int head, const UnitTokens& tokens);

/// Permutes decisions over the types of tokens (design.md §5, null of the agreement): every occurrence of a type t takes
/// what was decided at a random occurrence of π(t). Routing is largely a function of the token, which a permutation of
/// positions would not keep.
class TypeShuffle
{
public:
    /// `ids`: of all tokens by number; `used`: the numbers that take part.
    TypeShuffle(std::span<const TokenId> ids, std::span<const std::size_t> used);
    /// For every token the number of the one whose decisions it takes; those that take no part keep theirs.
    std::vector<std::size_t> draw(SeededRandom& random) const;

private:
    std::size_t m_tokens = 0;
    std::vector<std::vector<std::size_t>> m_occurrences; // [types], by ascending id
};

/// The same units, each token replaced.
UnitTokens replaced(const UnitTokens& tokens, std::span<const std::size_t> source);

} // namespace headscope::core
