// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint_folder.h"

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/other_formats.h"
#include "core/checkpoint/safetensors_reader.h"
#include "core/checkpoint/shard_index.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kExtensions = {".safetensors", ".pth", ".pt", ".ckpt", ".bin"};
// What Hugging Face's trainer leaves beside the weights.
constexpr std::array<std::string_view, 4> kNotWeights = {"training_args.bin", "optimizer.pt", "scheduler.pt",
                                                         "rng_state.pth"};
constexpr std::size_t kNamesShown = 5;

std::vector<fs::path> candidatesIn(const fs::path& folder)
{
    std::vector<fs::path> candidates;
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Error(fmt::format("{} cannot be listed: {}.", shown(folder), error.message()));
    for (const fs::directory_entry& entry : entries) {
        if (mayBeCheckpoint(entry.path()) && entry.is_regular_file(error))
            candidates.push_back(entry.path());
    }
    std::ranges::sort(candidates);
    return candidates;
}

/// An index whose shards are not there; whoever reads it says which.
std::optional<fs::path> loneIndex(const fs::path& folder)
{
    std::error_code error;
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (isShardIndex(entry.path()) && entry.is_regular_file(error))
            found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::string listed(const std::vector<fs::path>& files)
{
    std::vector<std::string> names;
    for (const fs::path& file : files) {
        if (names.size() < kNamesShown)
            names.push_back(quotedName(file.filename().string()));
    }
    return fmt::format("{}{}", fmt::join(names, ", "), files.size() > kNamesShown ? ", …" : "");
}

bool allShards(const std::vector<fs::path>& files)
{
    return std::ranges::all_of(files,
                               [](const fs::path& file) { return shardNumber(file.filename().string()).has_value(); });
}

/// A trace that was written beside the checkpoint (docs/trace-file.md).
bool isTrace(const fs::path& file)
{
    if (file.extension() != ".safetensors")
        return false;
    try {
        const auto content = readSafetensors(FileBytes::open(file));
        forgetRead(file); // only looked at: a trace may be written over; what becomes the checkpoint is opened again
        return std::ranges::find(content.tensors, "tokens.ids", &TensorView::name) != content.tensors.end();
    } catch (const Error&) {
        return false; // whoever opens it says what is wrong
    }
}

/// A checkpoint in several files is opened through its index, which must not leave a doubt what belongs to it.
fs::path indexAmong(const fs::path& index, const std::vector<fs::path>& candidates)
{
    std::vector<fs::path> others;
    for (const fs::path& candidate : candidates) {
        if (candidate.extension() == index.stem().stem().extension() && !shardNumber(candidate.filename().string()) &&
            !isTrace(candidate))
            others.push_back(candidate);
    }
    if (!others.empty())
        throw Error(fmt::format(
            "{} is a folder with the index of a checkpoint in several files ({}) and beside it {}; open one of the two.",
            shown(index.parent_path()), quotedName(index.filename().string()), listed(others)));
    return index;
}

fs::path chooseFrom(const fs::path& folder, std::vector<fs::path> candidates)
{
    std::error_code error;
    for (const char* name : {"model.safetensors", "pytorch_model.bin"}) { // where both are, they hold the same model
        const fs::path index = folder / (std::string(name) + ".index.json");
        if (fs::is_regular_file(index, error))
            return indexAmong(index, candidates);
        if (std::ranges::find(candidates, folder / name) != candidates.end())
            return folder / name;
    }
    if (candidates.size() > 1 && !std::ranges::all_of(candidates, isTrace))
        std::erase_if(candidates, isTrace);
    if (candidates.size() == 1)
        return candidates.front();
    if (allShards(candidates))
        throw Error(fmt::format(
            "{} is a folder with parts of a checkpoint ({}) but without their index (model.safetensors.index.json or "
            "pytorch_model.bin.index.json); download the index into the same folder.",
            shown(folder), listed(candidates)));
    throw Error(fmt::format("{} is a folder with {} checkpoints ({}); open one of these files.", shown(folder),
                            candidates.size(), listed(candidates)));
}

} // namespace

bool mayBeCheckpoint(const fs::path& file)
{
    return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end() &&
           std::ranges::find(kNotWeights, file.filename().string()) == kNotWeights.end();
}

fs::path checkpointFileOf(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return path;
    std::vector<fs::path> candidates = candidatesIn(path);
    if (candidates.empty() && fs::is_directory(path / "checkpoint", error)) // the folder of a training run
        candidates = candidatesIn(path / "checkpoint");
    if (candidates.empty() || candidates.size() > 1)
        refuseForeignFolder(candidates.empty() ? path : candidates.front().parent_path());
    if (const auto index = candidates.empty() ? loneIndex(path) : std::nullopt)
        return *index;
    if (candidates.empty())
        throw Error(fmt::format(
            "{} is a folder without a checkpoint (a file ending in {}); open the file or the folder that holds it.",
            shown(path), fmt::join(kExtensions, ", ")));
    return chooseFrom(candidates.front().parent_path(), candidates);
}

} // namespace headscope::core
