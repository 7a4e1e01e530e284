// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/hyper_parameters.h"

#include "core/checkpoint/strict_json.h"

#include <vector>

namespace headscope::core {

namespace fs = std::filesystem;

HyperParameters hyperParametersFrom(const fs::path& sidecar) {
    return {readJsonObject(sidecar), sidecar.filename().string(), sidecar};
}

HyperParameters hyperParametersBeside(const fs::path& checkpoint) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(checkpoint, ignored).parent_path();
    const std::vector<fs::path> candidates = {folder / "args.json", folder / "headscope.json", folder / "config.json",
                                              folder.parent_path() / "args.json",
                                              folder.parent_path().parent_path() / "args.json"};
    for (const fs::path& candidate : candidates) {
        if (fs::is_regular_file(candidate, ignored))
            return hyperParametersFrom(candidate);
    }
    return {};
}

} // namespace headscope::core
