// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"

#include <set>
#include <string>
#include <vector>

namespace headscope::core {

struct NamedTensors {
    std::vector<TensorView> tensors; // sorted by name
    std::vector<std::string> notes;
};

/// What the tensors are called without the wrappers around the model: those that a library puts anywhere into a name
/// ("_orig_mod.", "_fsdp_wrapped_module.", …) are left out wherever they are, "module." where every name begins with it, and
/// whatever else stands in front ("model.", "net.") where a model is recognised behind it (`options.recognises`); tensors
/// outside it are then left out. Of several such parts, copies that averaging made for instance, "model." counts, or the one that
/// `options.weights` names; that is not looked at when `weightsChosen`. Every such step is a note. Throws Error when two tensors
/// end up with one name, or there is no reason to prefer one of several models.
NamedTensors withPlainNames(Checkpoint checkpoint, const std::filesystem::path& path, const CheckpointOptions& options,
                            bool weightsChosen);

/// A name without the wrappers that can stand anywhere in it.
std::string withoutWrappers(std::string_view name);

/// Whether at least half of `names` are, without what stands in front of them, among the others.
bool sharesNames(const std::vector<std::string>& names, const std::set<std::string>& others);

/// Whether a model is recognised under these names, or behind something that stands in front of some of them.
bool leadsToModel(const std::vector<std::string>& names, const std::function<bool(const Checkpoint&)>& recognises);

} // namespace headscope::core
