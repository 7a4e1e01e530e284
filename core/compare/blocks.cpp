// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/blocks.h"

#include "core/stats/percentiles.h"
#include "core/stats/seeded_random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::core {

std::vector<std::size_t> unitBlocks(std::size_t units, int folds)
{
    constexpr std::size_t most = 30;
    constexpr std::size_t shortest = 4;
    const auto least = std::min(units, static_cast<std::size_t>(std::max(folds, 1)));
    const std::size_t blocks = std::max(std::min(most, units / shortest), least);
    std::vector<std::size_t> first{0};
    for (std::size_t block = 1; block <= blocks; ++block)
        first.push_back(block * units / blocks);
    return first;
}

std::vector<std::uint16_t> foldOfUnits(const std::vector<std::size_t>& blocks, int folds)
{
    std::vector<std::uint16_t> fold(blocks.back(), 0);
    for (std::size_t block = 0; block + 1 < blocks.size(); ++block)
        std::fill(fold.begin() + static_cast<std::ptrdiff_t>(blocks[block]),
                  fold.begin() + static_cast<std::ptrdiff_t>(blocks[block + 1]),
                  static_cast<std::uint16_t>(block % static_cast<std::size_t>(folds)));
    return fold;
}

BlockBootstrap::BlockBootstrap(std::vector<std::size_t> blocks, int replicates, std::uint64_t seed)
    : m_blocks(std::move(blocks))
{
    const std::size_t count = m_blocks.size() - 1;
    if (count < fewestBlocks)
        return;
    SeededRandom random(seed);
    m_draws.resize(static_cast<std::size_t>(std::max(replicates, 0)));
    for (auto& draw : m_draws)
        for (std::size_t i = 0; i < count; ++i)
            draw.push_back(static_cast<std::uint32_t>(random.below(count)));
}

Interval BlockBootstrap::ofRatio(std::span<const double> numerators, std::span<const double> denominators) const
{
    std::vector<double> above, below; // sums of every block
    for (std::size_t block = 0; block + 1 < m_blocks.size(); ++block) {
        above.push_back(0);
        below.push_back(0);
        for (std::size_t unit = m_blocks[block]; unit < m_blocks[block + 1]; ++unit) {
            above.back() += numerators[unit];
            below.back() += denominators[unit];
        }
    }
    std::vector<double> ratios;
    for (const auto& draw : m_draws) {
        double numerator = 0, denominator = 0;
        for (const std::uint32_t block : draw) {
            numerator += above[block];
            denominator += below[block];
        }
        if (denominator > 0)
            ratios.push_back(numerator / denominator);
    }
    const auto [low, high] = middleOf(std::move(ratios), 0.95);
    return {low, high};
}

Interval BlockBootstrap::ofMean(std::span<const float> values) const
{
    std::vector<double> numerators(values.size(), 0), denominators(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) {
            numerators[i] = static_cast<double>(values[i]);
            denominators[i] = 1;
        }
    return ofRatio(numerators, denominators);
}

} // namespace headscope::core
