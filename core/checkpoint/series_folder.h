// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headscope::core {

/// One checkpoint of a run.
struct SeriesFile {
    std::filesystem::path path; // a file, or a folder that holds one checkpoint
    std::int64_t step = 0;      // the number in its name: of steps, else of epochs
    bool operator==(const SeriesFile&) const = default;
};

/// The checkpoints of a run that lie in a folder (or in its folder `checkpoint`), by ascending step: files whose names are
/// alike but for their numbers ("model-400.pth", "model-800.pth"; "epoch=0-step=400.ckpt", "epoch=1-step=800.ckpt";
/// "model-0.4k.pth"), or folders of that kind ("checkpoint-400/"). Where a name says which of its numbers are steps, epochs or
/// measurements, all of these may differ, and they go by steps, else by epochs; of other numbers only the last may. Of several
/// such rows the longest counts. Throws Error when there are not two.
std::vector<SeriesFile> findSeries(const std::filesystem::path& folder);

} // namespace headscope::core
