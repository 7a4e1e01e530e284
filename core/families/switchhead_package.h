// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/family.h"

namespace headscope::core {

/// State dicts of models built around the SwitchHead user package: embedding, layers of [norm, attention, residual], output norm and head.
/// What the tensors do not tell comes from a sidecar headscope.json (docs/checkpoints.md).
bool isSwitchheadPackage(const Checkpoint& checkpoint);
std::shared_ptr<const Model> openSwitchheadPackage(const FamilyInput& input);

inline constexpr Family switchheadPackageFamily{"switchhead", isSwitchheadPackage, openSwitchheadPackage};

} // namespace headscope::core
