// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/torch_reader.h"

#include <filesystem>
#include <vector>

namespace headscope::core {

// Checkpoints of other tools, which only these can put together. Each is said with the command that does.

/// Throws Error for a folder that torch.distributed.checkpoint or DeepSpeed wrote.
void refuseForeignFolder(const std::filesystem::path& folder);

/// For a file of torch.save in which no weights were found. Throws Error: what it holds instead.
[[noreturn]] void throwNoModel(const TorchFile& file);

/// Throws Error when these are no weights but parts of them: a ZeRO-3 shard, FSDP's local or sharded state dict.
void refusePartialWeights(const TorchFile& file, const std::vector<TensorView>& tensors);

} // namespace headscope::core
