// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Which file holds which tensor of a checkpoint in several files (model.safetensors.index.json,
/// pytorch_model.bin.index.json).
struct ShardIndex {
    std::filesystem::path path;
    std::map<std::string, std::size_t> shardOf; // tensor → place among the shards
    std::vector<std::string> shards;            // names of files beside the index, sorted
};

/// Reads the index and checks that its shards are there and lie beside it. Throws Error, Cancelled.
ShardIndex readShardIndex(const std::filesystem::path& path, const Progress& progress = {});

bool isShardIndex(const std::filesystem::path& path);

/// "model-00001-of-00003.safetensors": the 1 and the 3; nullopt for other names.
struct ShardNumber {
    int number = 0;
    int count = 0;
};
std::optional<ShardNumber> shardNumber(std::string_view fileName);

} // namespace headscope::core
