// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint_folder.h"

#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

std::vector<fs::path> candidatesIn(const fs::path& folder) {
    std::vector<fs::path> candidates;
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error)
        throw Error(fmt::format("{} cannot be listed: {}.", shown(folder), error.message()));
    for (const fs::directory_entry& entry : entries) {
        const std::string extension = entry.path().extension().string();
        const std::string name = entry.path().filename().string();
        if (std::ranges::find(kExtensions, extension) != kExtensions.end() &&
            std::ranges::find(kNotWeights, name) == kNotWeights.end() && entry.is_regular_file(error))
            candidates.push_back(entry.path());
    }
    std::ranges::sort(candidates);
    return candidates;
}

} // namespace

fs::path checkpointFileOf(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error))
        return path;
    std::vector<fs::path> candidates = candidatesIn(path);
    if (candidates.empty() && fs::is_directory(path / "checkpoint", error)) // the folder of a training run
        candidates = candidatesIn(path / "checkpoint");
    if (candidates.empty())
        throw Error(fmt::format(
            "{} is a folder without a checkpoint (a file ending in {}); open the file or the folder that holds it.",
            shown(path), fmt::join(kExtensions, ", ")));
    if (candidates.size() > 1) {
        std::vector<std::string> names;
        for (const fs::path& candidate : candidates) {
            if (names.size() < kNamesShown)
                names.push_back(quotedName(candidate.filename().string()));
        }
        throw Error(fmt::format("{} is a folder with {} checkpoints ({}{}); open one of these files.", shown(path),
                                candidates.size(), fmt::join(names, ", "), candidates.size() > kNamesShown ? ", …" : ""));
    }
    return candidates.front();
}

} // namespace headscope::core
