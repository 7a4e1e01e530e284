// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headscope::core {

/// One checkpoint of a run.
struct SeriesFile {
    std::filesystem::path path; // a file, or a folder that holds one checkpoint
    std::int64_t step = 0;      // the number in its name
    bool operator==(const SeriesFile&) const = default;
};

/// The checkpoints of a run that lie in a folder (or in its folder `checkpoint`), by ascending step: files whose names are
/// alike but for one number ("model-400.pth", "model-800.pth"), or folders of that kind ("checkpoint-400/"). Of several such
/// rows the longest counts. Throws Error when there are not two.
std::vector<SeriesFile> findSeries(const std::filesystem::path& folder);

} // namespace headscope::core
