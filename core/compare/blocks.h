// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope::core {

// Neighbouring units are alike in topic and context. Cross-fitting therefore takes every other stretch, so that both halves
// hold all topics of a text that changes them.

/// The first unit of every block, and the end: [blocks + 1]. Thirty blocks, fewer where they would be shorter than four
/// units.
std::vector<std::size_t> unitBlocks(std::size_t units, int folds);

/// Block i belongs to fold i modulo `folds`; [units].
std::vector<std::uint16_t> foldOfUnits(const std::vector<std::size_t>& blocks, int folds);

} // namespace headscope::core
