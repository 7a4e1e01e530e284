// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/missing_parameters.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::core {

/// What the user wrote for a checkpoint beats what a training code left, key by key. From the first to the last:
///  1. what the user gives (a form),
///  2. the file that --sidecar names, else headscope.json beside the checkpoint,
///  3. run_invariants.args inside the checkpoint, else args.json or config.json beside it, else args.json one or two folders above (runs
///     keep save/NAME/args.json and save/NAME/checkpoint/model-N.pth).
/// "Beside" a link is beside the link, then beside its target.

/// A file that the user named; one called args.json or config.json is taken for a training code's. Throws Error: it cannot be read.
ParameterSource hyperParametersFrom(const std::filesystem::path& file);

/// headscope.json in the folder of the checkpoint. Throws Error: it cannot be read.
std::optional<ParameterSource> parametersOfUser(const std::filesystem::path& checkpoint);

struct TrainingParameters {
    ParameterSource source;
    bool fromAbove = false; // not from the folder of the checkpoint itself
};
/// What a training code left outside the checkpoint. Throws Error: it cannot be read.
std::optional<TrainingParameters> parametersOfTraining(const std::filesystem::path& checkpoint);

/// Fills in `hyperParameters` and `hyperParametersFrom` from `parameterSources`.
void mergeParameterSources(Checkpoint& checkpoint);

/// Notes all of these files and the tokenizer beside them as read (noteRead), also those that are not needed this time: they
/// belong to the checkpoint.
void noteFilesBeside(const std::filesystem::path& checkpoint);

/// Writes what the user gave into headscope.json beside a checkpoint, along with what that file holds already. Returns its path.
/// Throws Error: the file cannot be read or written.
std::filesystem::path saveBeside(const std::filesystem::path& checkpoint, const GivenParameters& given);

} // namespace headscope::core
