// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/family.h"

namespace headscope::core {

/// Checkpoints of moeut_training_code: universal transformers whose layer modules are applied several times, with SwitchHead attention and
/// mixture feed-forward (Csordás et al. 2024, "MoEUT"). The public MoEUT weights have this form.
bool isMoeutTraining(const Checkpoint& checkpoint);
std::shared_ptr<const Model> openMoeutTraining(const FamilyInput& input);

inline constexpr Family moeutTrainingFamily{"moeut_training_code", isMoeutTraining, openMoeutTraining};

} // namespace headscope::core
