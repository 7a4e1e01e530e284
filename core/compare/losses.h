// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

/// Bytes, losses and context of every unit; neither agreement nor divergence. `stream`: whose text was aligned; the loss is
/// that of the last one.
std::vector<UnitComparison> compareUnits(const ComparedTraces& traces, const Alignment& alignment, int stream);

/// Over the units that have both losses; those without bytes are parts of characters. NaN for a text without bytes.
LossComparison compareLosses(std::span<const UnitComparison> units, WithIntervals intervals);

} // namespace headscope::core
