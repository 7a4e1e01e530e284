// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/series_folder.h"

#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/shard_index.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

/// A name without its last number, and that number.
struct NumberedName {
    std::pair<std::string, std::string> around; // what stands before and behind
    std::int64_t number = 0;
};

std::optional<NumberedName> numbered(std::string_view name)
{
    constexpr std::string_view digits = "0123456789";
    const std::size_t last = name.find_last_of(digits);
    if (last == std::string_view::npos)
        return std::nullopt;
    const std::size_t before = name.find_last_not_of(digits, last);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    NumberedName result{{std::string(name.substr(0, first)), std::string(name.substr(last + 1))}, 0};
    if (std::from_chars(name.data() + first, name.data() + last + 1, result.number).ec != std::errc())
        return std::nullopt; // longer than any step
    return result;
}

std::vector<SeriesFile> longestRow(const fs::path& folder)
{
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Error(fmt::format("{} cannot be listed: {}.", shown(folder), error.message()));
    std::map<std::pair<std::string, std::string>, std::vector<SeriesFile>> rows;
    for (const fs::directory_entry& entry : entries) {
        const fs::path& path = entry.path();
        const bool file = entry.is_regular_file(error);
        if (!(file && mayBeCheckpoint(path)) && !(!file && entry.is_directory(error)))
            continue;
        const std::string name = path.filename().string();
        if (shardNumber(name))
            continue;
        if (auto found = numbered(name))
            rows[found->around].push_back({path, found->number});
    }
    std::vector<SeriesFile> longest;
    for (auto& [name, members] : rows) {
        if (members.size() > longest.size())
            longest = std::move(members);
    }
    std::ranges::sort(longest, {}, [](const SeriesFile& member) { return std::pair(member.step, member.path); });
    return longest;
}

} // namespace

std::vector<SeriesFile> findSeries(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw Error(fmt::format("{} is no folder; give the folder that holds the checkpoints of a run.", shown(folder)));
    std::vector<SeriesFile> members = longestRow(folder);
    if (members.size() < 2 && fs::is_directory(folder / "checkpoint", error))
        members = longestRow(folder / "checkpoint");
    if (members.size() < 2)
        throw Error(
            fmt::format("{} does not hold the checkpoints of a run: there are no two whose names differ only in a number "
                        "(model-400.pth, model-800.pth).",
                        shown(folder)));
    return members;
}

} // namespace headscope::core
