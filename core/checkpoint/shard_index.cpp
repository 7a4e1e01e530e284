// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/shard_index.h"

#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_sax.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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

constexpr std::uint64_t kLargestIndex = 64ULL << 20;

/// Takes the weight_map out of the JSON as it is parsed: an index can name a million tensors.
class IndexReader final : public StrictSax
{
public:
    IndexReader(const fs::path& path, const Progress& progress) : StrictSax(shown(path), progress), m_path(path) {}

    ShardIndex read(std::string_view json)
    {
        parse(json);
        if (m_shardOf.empty())
            failNoMap();
        ShardIndex index{m_path, std::move(m_shardOf), {}};
        std::vector<std::size_t> places; // the map of names is sorted
        places.resize(m_shards.size());
        for (const auto& [name, number] : m_shards) {
            places[number] = index.shards.size();
            index.shards.push_back(name);
        }
        for (auto& [tensor, shard] : index.shardOf)
            shard = places[shard];
        return index;
    }

private:
    void onKey(std::string&& name) override
    {
        if (depth() == 1)
            m_inMap = name == "weight_map";
        if (depth() == 2 && m_inMap)
            m_tensor = std::move(name);
    }
    void onOpen(bool object) override
    {
        if (depth() == 0 && !object)
            failNoMap();
        if (depth() == 1 && m_inMap && !object)
            failNoMap();
        if (depth() >= 2 && m_inMap)
            failPlace(object ? "an object" : "a list");
    }
    void onValue(nlohmann::json&& value) override
    {
        if (depth() == 0 || (depth() == 1 && m_inMap))
            failNoMap();
        if (depth() != 2 || !m_inMap)
            return;
        if (!value.is_string() || !isPlainFileName(value.get_ref<const std::string&>()))
            failPlace(value.is_string() ? value.get_ref<const std::string&>() : value.dump());
        const auto shard = m_shards.try_emplace(std::move(value.get_ref<std::string&>()), m_shards.size()).first;
        m_shardOf.emplace(std::move(m_tensor), shard->second);
    }
    [[noreturn]] void failNoMap() const
    {
        throw Error(fmt::format("{} is not an index of shards (it has no \"weight_map\"); download it again.", shown(m_path)));
    }
    [[noreturn]] void failPlace(std::string_view place) const
    {
        throw Error(
            fmt::format("{} puts tensor {} into {}, which is not a file beside it; only shards in the same folder are read.",
                        shown(m_path), quotedName(m_tensor), quotedName(place)));
    }

    fs::path m_path;
    std::map<std::string, std::size_t> m_shardOf;
    std::map<std::string, std::size_t> m_shards; // in the order in which they were seen
    bool m_inMap = false;
    std::string m_tensor;
};

void requireShards(const ShardIndex& index)
{
    constexpr std::size_t mostNames = 3;
    std::vector<std::string> missing;
    std::error_code ignored;
    for (const std::string& shard : index.shards) {
        if (!fs::exists(index.path.parent_path() / shard, ignored))
            missing.push_back(shard);
    }
    if (missing.empty())
        return;
    std::string names;
    for (std::size_t i = 0; i < std::min(missing.size(), mostNames); ++i)
        names += (i == 0 ? "" : ", ") + quotedName(missing[i]);
    if (missing.size() > mostNames)
        names += ", …";
    if (missing.size() == 1)
        throw Error(fmt::format("{} names the shard {}, which is missing; download it into the same folder.", shown(index.path), names));
    throw Error(fmt::format("{} names {} shards, of which {} are missing ({}); download them into the same folder.", shown(index.path),
                            index.shards.size(), missing.size() == index.shards.size() ? "all" : std::to_string(missing.size()), names));
}

} // namespace

ShardIndex readShardIndex(const fs::path& path, const Progress& progress)
{
    const std::shared_ptr<const FileBytes> file = FileBytes::open(path);
    if (file->size() > kLargestIndex)
        throw Error(fmt::format("{} has {} bytes, more than an index needs.", shown(path), file->size()));
    const std::vector<std::byte> bytes = file->read(0, file->size());
    ShardIndex index = IndexReader(path, progress).read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    requireShards(index);
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
