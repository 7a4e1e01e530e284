// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/family.h"

namespace headscope::core {

/// State dicts of the clean MoEUT package's language model (Csordás et al. 2024). How often the layer modules are applied, and the numbers of
/// heads and chosen experts, come from a sidecar headscope.json (docs/checkpoints.md).
bool isMoeutPackage(const Checkpoint& checkpoint);
std::shared_ptr<const Model> openMoeutPackage(const FamilyInput& input);

inline constexpr Family moeutPackageFamily{"moeut", isMoeutPackage, openMoeutPackage};

} // namespace headscope::core
