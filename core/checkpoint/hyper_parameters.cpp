// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/hyper_parameters.h"

#include "core/checkpoint/atomic_file.h"
#include "core/checkpoint/beside.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/strict_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

constexpr const char* kUserFile = "headscope.json";
constexpr std::array kTrainingFiles = {"args.json", "config.json"};

bool isFile(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

ParameterSource read(const fs::path& file, ParameterSource::Author author)
{
    return {file.filename().string(), readJsonObject(file), author, file};
}

} // namespace

ParameterSource hyperParametersFrom(const fs::path& file)
{
    const bool ofTraining = std::ranges::find(kTrainingFiles, file.filename().string()) != kTrainingFiles.end();
    return read(file, ofTraining ? ParameterSource::Author::Training : ParameterSource::Author::User);
}

std::optional<ParameterSource> parametersOfUser(const fs::path& checkpoint)
{
    for (const fs::path& folder : foldersBeside(checkpoint)) {
        if (isFile(folder / kUserFile))
            return read(folder / kUserFile, ParameterSource::Author::User);
    }
    return std::nullopt;
}

std::optional<TrainingParameters> parametersOfTraining(const fs::path& checkpoint)
{
    const std::vector<fs::path> folders = foldersBeside(checkpoint);
    for (const fs::path& folder : folders) {
        for (const char* name : kTrainingFiles) {
            if (isFile(folder / name))
                return TrainingParameters{read(folder / name, ParameterSource::Author::Training), false};
        }
    }
    for (const fs::path& folder : folders) {
        for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()}) {
            if (isFile(above / "args.json"))
                return TrainingParameters{read(above / "args.json", ParameterSource::Author::Training), true};
        }
    }
    return std::nullopt;
}

void mergeParameterSources(Checkpoint& checkpoint)
{
    checkpoint.hyperParameters = nullptr;
    std::vector<std::string> names;
    for (const ParameterSource& source : checkpoint.parameterSources) {
        if (checkpoint.hyperParameters.is_null())
            checkpoint.hyperParameters = nlohmann::json::object();
        for (const auto& [key, value] : source.values.items())
            checkpoint.hyperParameters.emplace(key, value); // keeps what is there
        names.push_back(source.name);
    }
    checkpoint.hyperParametersFrom = fmt::format("{}", fmt::join(names, " and "));
}

fs::path saveBeside(const fs::path& checkpoint, const GivenParameters& given)
{
    std::error_code ignored;
    const fs::path folder = fs::absolute(checkpointFileOf(checkpoint), ignored).parent_path();
    const fs::path target = folder / kUserFile;
    nlohmann::json values = isFile(target) ? readJsonObject(target) : nlohmann::json::object();
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
    const auto note = [](const fs::path& file) {
        if (isFile(file))
            noteRead(file);
    };
    for (const fs::path& folder : foldersBeside(checkpoint)) {
        note(folder / kUserFile);
        note(folder / "tokenizer.model");
        for (const char* name : kTrainingFiles)
            note(folder / name);
        for (const fs::path& above : {folder.parent_path(), folder.parent_path().parent_path()})
            note(above / "args.json");
    }
}

} // namespace headscope::core
