// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"

namespace headscope::core {

/// Hyper-parameters that lie deeper than at the top of where they were found, as {"args": {"moe.att.k": 2}} or {"moe":
/// {"att": {"k": 2}}}, come to the top, with a note; a checkpoint's other values ("hyper_parameters", "config", …) are
/// looked through as well. Only what some family's table knows moves anything. Throws Error where a key then stands twice
/// with different values.
void bringNestedParametersUp(Checkpoint& checkpoint);

} // namespace headscope::core
