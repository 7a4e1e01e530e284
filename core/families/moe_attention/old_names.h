// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/families/arguments.h"

#include <optional>

namespace headscope::core::moe_attention {

/// Files from before the training code renamed its attention tensors, under the names of today; nullopt when the names are today's.
std::optional<Checkpoint> withTodaysNames(const Checkpoint& checkpoint, const Arguments& arguments);

} // namespace headscope::core::moe_attention
