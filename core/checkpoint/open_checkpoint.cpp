// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/hyper_parameters.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/model_dict.h"
#include "core/checkpoint/safetensors_reader.h"
#include "core/checkpoint/sniff.h"
#include "core/checkpoint/torch_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace headscope::core {
namespace {

Checkpoint fromSafetensors(const std::shared_ptr<const FileBytes>& file) {
    SafetensorsContent content = readSafetensors(file);
    Checkpoint checkpoint;
    checkpoint.container = "safetensors";
    checkpoint.extras = nlohmann::json::object();
    if (!content.metadata.empty())
        checkpoint.extras["metadata"] = content.metadata;
    NamedTensors named = withPlainNames(std::move(content.tensors), file->path());
    if (named.tensors.empty())
        throw Error(fmt::format("{} holds no tensors; open the file with the weights.", shown(file->path())));
    checkpoint.tensors = std::move(named.tensors);
    checkpoint.notes = std::move(named.notes);
    return checkpoint;
}

Checkpoint fromTorch(const TorchFile& file) {
    Checkpoint checkpoint;
    checkpoint.container = file.container();
    NamedTensors named = modelTensors(file);
    checkpoint.tensors = std::move(named.tensors);
    checkpoint.notes = std::move(named.notes);
    checkpoint.extras = extrasOf(file);
    checkpoint.hyperParameters = runArguments(file);
    if (!checkpoint.hyperParameters.is_null())
        checkpoint.hyperParametersFrom = "run_invariants.args";
    return checkpoint;
}

/// One file, without what lies beside it.
Checkpoint openFile(const std::filesystem::path& path) {
    const std::shared_ptr<const FileBytes> file = FileBytes::open(path);
    Checkpoint checkpoint;
    switch (sniffContainer(*file)) {
    case ContainerKind::Safetensors:
        checkpoint = fromSafetensors(file);
        break;
    case ContainerKind::TorchZip:
        checkpoint = fromTorch(TorchFile::openZip(file));
        break;
    case ContainerKind::TorchLegacy:
        checkpoint = fromTorch(TorchFile::openLegacy(file));
        break;
    }
    checkpoint.files = {file};
    return checkpoint;
}

void addHyperParameters(Checkpoint& checkpoint, const std::filesystem::path& file, const CheckpointOptions& options) {
    const bool given = !options.sidecar.empty();
    if (!given && !checkpoint.hyperParameters.is_null())
        return;
    HyperParameters found = given ? hyperParametersFrom(options.sidecar) : hyperParametersBeside(file);
    checkpoint.hyperParameters = std::move(found.values);
    checkpoint.hyperParametersFrom = std::move(found.from);
    if (!given && !found.path.empty() && found.path.parent_path() != std::filesystem::absolute(file).parent_path())
        checkpoint.notes.push_back(fmt::format("Hyper-parameters come from {}.", shown(found.path)));
}

} // namespace

const TensorView* Checkpoint::find(std::string_view name) const {
    const auto found =
        std::ranges::lower_bound(tensors, name, {}, [](const TensorView& t) { return std::string_view(t.name); });
    return found != tensors.end() && found->name == name ? &*found : nullptr;
}

std::uint64_t Checkpoint::modelBytes() const {
    std::set<std::pair<const FileBytes*, std::uint64_t>> seen;
    std::uint64_t bytes = 0;
    for (const TensorView& tensor : tensors) {
        if (tensor.storageBytes != 0 && seen.emplace(tensor.file.get(), tensor.storageBegin).second)
            bytes += tensor.storageBytes;
    }
    return bytes;
}

std::uint64_t Checkpoint::bytesRead() const {
    std::uint64_t bytes = 0;
    for (const auto& file : files)
        bytes += file->bytesRead();
    return bytes;
}

Checkpoint openCheckpoint(const std::filesystem::path& path, const CheckpointOptions& options, const Progress& progress) {
    progress.at(0.0, "opening");
    const std::filesystem::path file = checkpointFileOf(path);
    Checkpoint checkpoint = openFile(file);
    checkpoint.path = path;
    addHyperParameters(checkpoint, file, options);
    progress.at(1.0, "opening");
    return checkpoint;
}

} // namespace headscope::core
