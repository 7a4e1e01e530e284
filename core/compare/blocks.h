// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

// Neighbouring units are alike in topic and context. Intervals therefore draw whole stretches, and cross-fitting takes every
// other stretch, so that both halves hold all topics of a text that changes them.

/// The first unit of every block, and the end: [blocks + 1]. Thirty blocks, fewer where they would be shorter than four
/// units.
std::vector<std::size_t> unitBlocks(std::size_t units, int folds);
inline constexpr std::size_t fewestBlocks = 20; // for an interval

/// Block i belongs to fold i modulo `folds`; [units].
std::vector<std::uint16_t> foldOfUnits(const std::vector<std::size_t>& blocks, int folds);

/// Blocks drawn with replacement, as many as there are. The same seed draws the same ones.
class BlockBootstrap
{
public:
    BlockBootstrap(std::vector<std::size_t> blocks, int replicates, std::uint64_t seed);

    /// 95 % percentile interval of Σ numerators / Σ denominators over units. Blank with fewer than `fewestBlocks` or without
    /// replicates.
    Interval ofRatio(std::span<const double> numerators, std::span<const double> denominators) const;
    /// Of the mean of the values that are not NaN.
    Interval ofMean(std::span<const float> values) const;

private:
    std::vector<std::size_t> m_blocks;
    std::vector<std::vector<std::uint32_t>> m_draws; // [replicates, blocks]
};

} // namespace headscope::core
