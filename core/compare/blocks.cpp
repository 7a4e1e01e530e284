// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/blocks.h"

#include <algorithm>

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

} // namespace headscope::core
