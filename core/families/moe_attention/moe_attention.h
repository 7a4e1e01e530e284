// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/family.h"

namespace headscope::core {

/// Checkpoints of the moe_attention training code: SwitchHead, the MoA baseline, SwitchAll (with a mixture feed-forward), dense baselines
/// (Csordás et al. 2023, "SwitchHead"; layouts and maths in docs/checkpoints.md).
bool isMoeAttention(const Checkpoint& checkpoint);
std::shared_ptr<const Model> openMoeAttention(const FamilyInput& input);

inline constexpr Family moeAttentionFamily{"moe_attention", isMoeAttention, openMoeAttention};

} // namespace headscope::core
