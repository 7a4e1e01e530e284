// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/hyper_parameters.h"

#include "core/checkpoint/atomic_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"

#include <fmt/format.h>

namespace headscope::core {

namespace fs = std::filesystem;

HyperParameters hyperParametersFrom(const fs::path& sidecar)
{
    return {readJsonObject(sidecar), sidecar.filename().string(), sidecar, false};
}

fs::path saveBeside(const fs::path& checkpoint, const GivenParameters& given)
{
    std::error_code ignored;
    const fs::path folder = fs::absolute(checkpointFileOf(checkpoint), ignored).parent_path();
    const fs::path target = folder / "headscope.json";
    if (fs::is_regular_file(folder / "args.json", ignored))
        throw Error(fmt::format("{}: an args.json lies beside it and is read instead of headscope.json; add {} there.", shown(checkpoint),
                                given.empty() ? "nothing" : given.front().first));
    nlohmann::json values = fs::is_regular_file(target, ignored) ? readJsonObject(target) : nlohmann::json::object();
    for (const auto& [key, value] : given) {
        const nlohmann::json number = nlohmann::json::parse(value, nullptr, false); // 4 rather than "4"
        values[key] = number.is_number() ? number : nlohmann::json(value);
    }
    forgetRead(target); // what it held stays in it
    AtomicFile file(target);
    file.write(values.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    file.commit();
    return target;
}

void noteFilesBeside(const fs::path& checkpoint)
{
    std::error_code ignored;
    const fs::path folder = fs::absolute(checkpoint, ignored).parent_path();
    for (const char* name : {"args.json", "headscope.json", "config.json", "tokenizer.model"}) {
        if (fs::is_regular_file(folder / name, ignored))
            noteRead(folder / name);
    }
    for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()}) {
        if (fs::is_regular_file(above / "args.json", ignored))
            noteRead(above / "args.json");
    }
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
