// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/shard_index.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"
#include "core/error.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

/// A name that can only mean a file in the folder of the index.
bool isPlainFileName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
           name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
}

std::optional<int> decimal(std::string_view digits)
{
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

} // namespace

ShardIndex readShardIndex(const fs::path& path)
{
    const nlohmann::json json = readJsonObject(path);
    const auto weights = json.find("weight_map");
    if (weights == json.end() || !weights->is_object() || weights->empty())
        throw Error(fmt::format("{} is not an index of shards (it has no \"weight_map\"); download it again.", shown(path)));
    ShardIndex index{path, {}, {}};
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : weights->items()) {
        if (!shard.is_string() || !isPlainFileName(shard.get<std::string>()))
            throw Error(fmt::format(
                "{} puts tensor {} into {}, which is not a file beside it; only shards in the same folder are read.",
                shown(path), quotedName(tensor), quotedName(shard.is_string() ? shard.get<std::string>() : shard.dump())));
        index.shardOf[tensor] = shard.get<std::string>();
        shards.insert(shard.get<std::string>());
    }
    std::error_code ignored;
    for (const std::string& shard : shards) {
        if (!fs::exists(path.parent_path() / shard, ignored))
            throw Error(fmt::format("{} names the shard {}, which is missing; download it into the same folder.",
                                    shown(path), quotedName(shard)));
    }
    index.shards.assign(shards.begin(), shards.end());
    return index;
}

bool isShardIndex(const fs::path& path)
{
    return path.filename().string().ends_with(".index.json");
}

std::optional<ShardNumber> shardNumber(std::string_view fileName)
{
    constexpr std::size_t digits = 5;
    constexpr std::string_view between = "-of-";
    const std::string_view stem = fileName.substr(0, fileName.rfind('.'));
    const std::size_t length = 1 + digits + between.size() + digits; // "-00001-of-00003"
    if (stem.size() <= length)
        return std::nullopt;
    const std::string_view tail = stem.substr(stem.size() - length);
    const std::optional<int> number = decimal(tail.substr(1, digits));
    const std::optional<int> count = decimal(tail.substr(length - digits));
    if (tail.front() != '-' || tail.substr(1 + digits, between.size()) != between || !number || !count)
        return std::nullopt;
    return ShardNumber{*number, *count};
}

} // namespace headscope::core
