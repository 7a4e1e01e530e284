// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/missing_parameters.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace headscope::core {

struct HyperParameters {
    nlohmann::json values; // an object; null when none were found
    std::string from;      // name of the file
    std::filesystem::path path;
    bool fromAbove = false; // not from the folder of the checkpoint itself
};

/// What training or the user left beside a checkpoint: args.json, headscope.json or config.json in its folder, else
/// args.json one or two folders above (runs keep save/NAME/args.json and save/NAME/checkpoint/model-N.pth). Throws Error for
/// a file that cannot be read.
HyperParameters hyperParametersBeside(const std::filesystem::path& checkpoint);

/// Notes all of these files and the tokenizer beside them as read (noteRead), also those that are not needed this time: they
/// belong to the checkpoint.
void noteFilesBeside(const std::filesystem::path& checkpoint);

/// Writes what the user gave into headscope.json beside a checkpoint, along with what that file holds already. Returns its path.
/// Throws Error: the file cannot be read or written; an args.json there would be read instead of it.
std::filesystem::path saveBeside(const std::filesystem::path& checkpoint, const GivenParameters& given);

/// A file that the user named.
HyperParameters hyperParametersFrom(const std::filesystem::path& sidecar);

} // namespace headscope::core
