// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/torch_reader.h"

#include <nlohmann/json.hpp>

namespace headscope::core {

/// The other plain values of the top level (training step, args, …), without optimizer and tensors.
nlohmann::json extrasOf(const TorchFile& file);

/// run_invariants.args as an object; null when there is none.
nlohmann::json runArguments(const TorchFile& file);

} // namespace headscope::core
