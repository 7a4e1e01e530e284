// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/torch_reader.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headscope::core {

struct NamedTensors {
    std::vector<TensorView> tensors;
    std::vector<std::string> notes;
};

/// The tensors of the model among everything a training code saves: those under "model", "state_dict" or a similar key, else
/// the top level itself. Optimizer moments and the like are left alone. Throws Error when there are none.
NamedTensors modelTensors(const TorchFile& file);

/// Sorts by name and takes off the wrappers' prefixes "module." and "_orig_mod." where every name has them. Throws Error
/// when two tensors end up with one name.
NamedTensors withPlainNames(std::vector<TensorView> tensors, const std::filesystem::path& path);

/// The other plain values of the top level (training step, args, …), without optimizer and tensors.
nlohmann::json extrasOf(const TorchFile& file);

/// run_invariants.args as an object; null when there is none.
nlohmann::json runArguments(const TorchFile& file);

} // namespace headscope::core
