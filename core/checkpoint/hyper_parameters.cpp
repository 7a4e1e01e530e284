// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/hyper_parameters.h"

#include "core/checkpoint/strict_json.h"

namespace headscope::core {

namespace fs = std::filesystem;

HyperParameters hyperParametersFrom(const fs::path& sidecar)
{
    return {readJsonObject(sidecar), sidecar.filename().string(), sidecar, false};
}

HyperParameters hyperParametersBeside(const fs::path& checkpoint)
{
    std::error_code ignored;
    const fs::path folder = fs::absolute(checkpoint, ignored).parent_path();
    for (const char* name : {"args.json", "headscope.json", "config.json"}) {
        if (fs::is_regular_file(folder / name, ignored))
            return hyperParametersFrom(folder / name);
    }
    for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()}) {
        if (!fs::is_regular_file(above / "args.json", ignored))
            continue;
        HyperParameters found = hyperParametersFrom(above / "args.json");
        found.fromAbove = true;
        return found;
    }
    return {};
}

} // namespace headscope::core
