// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/hyper_parameters.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/model_dict.h"
#include "core/checkpoint/pickle_json.h"
#include "core/checkpoint/safetensors_reader.h"
#include "core/checkpoint/shard_index.h"
#include "core/checkpoint/sniff.h"
#include "core/checkpoint/torch_reader.h"
#include "core/checkpoint/weight_sets.h"
#include "core/checkpoint/wrapped_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

template <typename T>
void append(std::vector<T>& all, std::vector<T> more)
{
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Tensors that safetensors' save_model left out because they share the storage of others; the file's metadata says which.
void addTied(SafetensorsContent& content, std::vector<std::string>& notes)
{
    std::vector<TensorView> tied;
    const auto find = [&](const std::string& name) {
        const auto found = std::ranges::lower_bound(content.tensors, name, {}, &TensorView::name);
        return found != content.tensors.end() && found->name == name ? &*found : nullptr;
    };
    for (const auto& [left, kept] : content.metadata) {
        const TensorView* tensor = find(kept);
        if (tensor == nullptr || find(left) != nullptr || tied.size() == content.tensors.size())
            continue;
        tied.push_back(*tensor);
        tied.back().name = left;
    }
    if (tied.empty())
        return;
    notes.push_back(fmt::format("The file's metadata says that {} is {} under another name{}.", quotedName(tied.front().name),
                                quotedName(content.metadata.at(tied.front().name)),
                                tied.size() > 1 ? fmt::format(", and {} more alike", tied.size() - 1) : ""));
    append(content.tensors, std::move(tied));
}

nlohmann::json extraMetadata(const SafetensorsContent& content)
{
    constexpr std::size_t most = 1000;
    nlohmann::json extras = nlohmann::json::object();
    for (const auto& [key, value] : content.metadata) {
        if (extras.size() < most)
            extras[key] = value;
    }
    return extras;
}

void readSafetensorsInto(Checkpoint& checkpoint, const std::shared_ptr<const FileBytes>& file, const Progress& progress)
{
    SafetensorsContent content = readSafetensors(file, progress);
    checkpoint.container = "safetensors";
    if (!content.metadata.empty())
        checkpoint.extras["metadata"] = extraMetadata(content);
    addTied(content, checkpoint.notes);
    append(checkpoint.tensors, std::move(content.tensors));
}

constexpr const char* kRunArguments = "run_invariants.args";
constexpr const char* kRunInvariants = "run_invariants";

nlohmann::json runInvariants(const TorchFile& file)
{
    const std::optional<PickleId> found = file.document().find(file.document().root, "run_invariants");
    return found && file.document().isDictLike(*found) ? pickleToJson(file.document(), *found) : nlohmann::json();
}

/// Whether the file's own structure had the weights that `options.weights` names.
bool readTorchInto(Checkpoint& checkpoint, const TorchFile& file, const CheckpointOptions& options, const Progress& progress)
{
    ChosenWeights model = chooseWeights(file, options, progress);
    checkpoint.container = file.container();
    checkpoint.extras.update(extrasOf(file));
    append(checkpoint.tensors, std::move(model.tensors));
    append(checkpoint.notes, std::move(model.notes));
    if (!checkpoint.parameterSources.empty()) // of another shard
        return model.byName;
    if (nlohmann::json args = runArguments(file); !args.empty())
        checkpoint.parameterSources.push_back({kRunArguments, std::move(args)});
    else if (nlohmann::json invariants = runInvariants(file); !invariants.empty())
        checkpoint.parameterSources.push_back({kRunInvariants, std::move(invariants)}); // they may lie elsewhere in it
    return model.byName;
}

/// Adds what one file holds, under the names it has there. Whether it had the weights that `options.weights` names.
bool readFileInto(Checkpoint& checkpoint, const fs::path& path, const CheckpointOptions& options, const Progress& progress)
{
    const std::shared_ptr<const FileBytes> file = FileBytes::open(path);
    checkpoint.files.push_back(file);
    switch (sniffContainer(*file)) {
    case ContainerKind::Safetensors: readSafetensorsInto(checkpoint, file, progress); return false;
    case ContainerKind::TorchZip: return readTorchInto(checkpoint, TorchFile::openZip(file, progress), options, progress);
    case ContainerKind::TorchLegacy: return readTorchInto(checkpoint, TorchFile::openLegacy(file, progress), options, progress);
    }
    return false;
}

/// The shards must hold exactly what the index says: each tensor in its file and in no other.
void checkAgainstIndex(Checkpoint& checkpoint, const ShardIndex& index)
{
    std::map<std::string_view, std::string> holder;
    std::size_t unnamed = 0;
    for (const TensorView& tensor : checkpoint.tensors) {
        const std::string shard = tensor.file->path().filename().string();
        if (const auto [other, fresh] = holder.emplace(tensor.name, shard); !fresh)
            throw Error(fmt::format(
                "{}: tensor {} is in two shards, {} and {}; which one counts cannot be known: download them again.",
                shown(index.path), quotedName(tensor.name), quotedName(other->second), quotedName(shard)));
        unnamed += index.shardOf.contains(tensor.name) ? 0 : 1;
    }
    for (const auto& [name, shard] : index.shardOf) {
        const auto found = holder.find(name);
        if (found == holder.end() || found->second != index.shards[shard])
            throw Error(fmt::format(
                "{} puts tensor {} into {}, which does not hold it; index and shards do not belong together: download "
                "them again.",
                shown(index.path), quotedName(name), quotedName(index.shards[shard])));
    }
    if (unnamed != 0)
        checkpoint.notes.push_back(fmt::format("{} tensors of the shards are not in their index.", unnamed));
}

bool readShardsInto(Checkpoint& checkpoint, const fs::path& path, const CheckpointOptions& options, const Progress& progress)
{
    const ShardIndex index = readShardIndex(path, progress);
    bool chosen = false;
    for (std::size_t i = 0; i < index.shards.size(); ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(index.shards.size()), "opening");
        chosen = readFileInto(checkpoint, path.parent_path() / index.shards[i], options, progress) || chosen;
    }
    checkAgainstIndex(checkpoint, index);
    return chosen;
}

void refuseLoneShard(const fs::path& file)
{
    const std::optional<ShardNumber> shard = shardNumber(file.filename().string());
    if (shard && shard->count > 1)
        throw Error(
            fmt::format("{} is only part {} of {} of a checkpoint; open the folder that holds all parts and their index.",
                        shown(file), shard->number, shard->count));
}

void finishNames(Checkpoint& checkpoint, const fs::path& file, const CheckpointOptions& options, bool weightsChosen)
{
    if (checkpoint.tensors.empty())
        throw Error(fmt::format("{} holds no tensors; open the file with the weights.", shown(file)));
    Checkpoint about;
    about.path = checkpoint.path;
    about.hyperParameters = checkpoint.hyperParameters;
    about.tensors = std::move(checkpoint.tensors);
    NamedTensors named = withPlainNames(std::move(about), file, options, weightsChosen);
    checkpoint.tensors = std::move(named.tensors);
    append(checkpoint.notes, std::move(named.notes));
}

/// In the order in which they count (hyper_parameters.h); `checkpoint.parameterSources` holds those of the file itself.
void addHyperParameters(Checkpoint& checkpoint, const fs::path& file, const CheckpointOptions& options)
{
    std::vector<ParameterSource> inside = std::move(checkpoint.parameterSources);
    std::vector<ParameterSource>& sources = checkpoint.parameterSources;
    sources.clear();
    if (!options.given.empty()) {
        ParameterSource given{"given by the user", nlohmann::json::object(), ParameterSource::Author::User};
        for (const auto& [key, value] : options.given)
            given.values[key] = value;
        sources.push_back(std::move(given));
    }
    if (!options.sidecar.empty())
        sources.push_back(hyperParametersFrom(options.sidecar));
    else if (std::optional<ParameterSource> user = parametersOfUser(file))
        sources.push_back(std::move(*user));
    const bool trained = std::ranges::any_of(inside, [](const ParameterSource& source) { return source.name == kRunArguments; });
    append(sources, std::move(inside));
    if (!trained) {
        if (std::optional<TrainingParameters> found = parametersOfTraining(file)) {
            if (found->fromAbove)
                checkpoint.notes.push_back(fmt::format("Hyper-parameters come from {}.", shown(found->source.path)));
            sources.push_back(std::move(found->source));
        }
    }
    mergeParameterSources(checkpoint);
}

} // namespace

const TensorView* Checkpoint::find(std::string_view name) const
{
    const auto found =
        std::ranges::lower_bound(tensors, name, {}, [](const TensorView& t) { return std::string_view(t.name); });
    return found != tensors.end() && found->name == name ? &*found : nullptr;
}

std::uint64_t Checkpoint::modelBytes() const
{
    std::set<std::pair<const FileBytes*, std::uint64_t>> seen;
    std::uint64_t bytes = 0;
    for (const TensorView& tensor : tensors) {
        if (tensor.storageBytes != 0 && seen.emplace(tensor.file.get(), tensor.storageBegin).second)
            bytes += tensor.storageBytes;
    }
    return bytes;
}

std::uint64_t Checkpoint::bytesRead() const
{
    std::uint64_t bytes = 0;
    for (const auto& file : files)
        bytes += file->bytesRead();
    return bytes;
}

Checkpoint openCheckpoint(const fs::path& path, const CheckpointOptions& options, const Progress& progress)
{
    progress.at(0.0, "opening");
    const fs::path file = checkpointFileOf(path);
    Checkpoint checkpoint;
    checkpoint.path = path;
    checkpoint.extras = nlohmann::json::object();
    bool weightsChosen = false;
    if (isShardIndex(file)) {
        weightsChosen = readShardsInto(checkpoint, file, options, progress);
    } else {
        refuseLoneShard(file);
        weightsChosen = readFileInto(checkpoint, file, options, progress);
    }
    noteFilesBeside(file);
    addHyperParameters(checkpoint, file, options); // first: they may say what the names are
    finishNames(checkpoint, file, options, weightsChosen);
    progress.at(1.0, "opening");
    return checkpoint;
}

} // namespace headscope::core
