// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/torch_reader.h"

#include <string>
#include <vector>

namespace headscope::core {

/// Tensors in a file of torch.save that can be the weights of a model: a dict of named tensors, or a list of tensors as
/// averaging code leaves it.
struct WeightSet {
    std::string name; // where it is: "model", "ema.module"; "" is the top level
    PickleId where{};
    bool list = false;
    std::size_t tensors = 0;
};

/// All of them that lie up to three dicts deep, but for optimizers'. Each dict is looked at once, however often it is named.
std::vector<WeightSet> weightSets(const TorchFile& file, const Progress& progress);

/// The set whose tensors are the model's, and what there is to say about it.
struct ChosenWeights {
    std::vector<TensorView> tensors;
    std::vector<std::string> notes;
    bool byName = false; // CheckpointOptions::weights named it
};

/// "model", "state_dict" or a similar key first; else what `options.recognises`; else the top level, or the only set there is.
/// A set that CheckpointOptions::weights names comes before all. Throws Error when there is none, or no reason to prefer one.
ChosenWeights chooseWeights(const TorchFile& file, const CheckpointOptions& options, const Progress& progress);

} // namespace headscope::core
