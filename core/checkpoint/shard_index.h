// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
    std::map<std::string, std::string> shardOf; // tensor → name of a file beside the index
    std::vector<std::string> shards;            // sorted
};

/// Reads the index and checks that its shards are there and lie beside it. Throws Error.
ShardIndex readShardIndex(const std::filesystem::path& path);

bool isShardIndex(const std::filesystem::path& path);

/// "model-00001-of-00003.safetensors": the 1 and the 3; nullopt for other names.
struct ShardNumber {
    int number = 0;
    int count = 0;
};
std::optional<ShardNumber> shardNumber(std::string_view fileName);

} // namespace headscope::core
