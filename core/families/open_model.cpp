// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/message_text.h"
#include "core/families/argument_values.h"
#include "core/families/family.h"
#include "core/families/nested_parameters.h"

#include <c10/core/InferenceMode.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope::core {
namespace {

/// The one that the user's own hyper-parameters name; nullptr when they name none.
const Family* familyOfUser(const Checkpoint& checkpoint, std::span<const Family> known)
{
    for (const auto& source : checkpoint.parameterSources) {
        const auto name = source.values.find("family");
        if (source.author != ParameterSource::Author::User || name == source.values.end())
            continue;
        const auto found = std::find_if(known.begin(), known.end(), [&](const Family& family) { return *name == family.name; });
        if (found == known.end())
            throw Error(fmt::format("{}: {} (\"family\" in {}) is not a family this version of Headscope can open; it knows {}.", shown(checkpoint.path),
                                    printedValue(*name), source.name, fmt::join(familyNames(), ", ")));
        return &*found;
    }
    return nullptr;
}

const Family& chooseFamily(const Checkpoint& checkpoint, const std::string& wanted)
{
    const auto known = families();
    if (!wanted.empty()) {
        const auto found = std::find_if(known.begin(), known.end(), [&](const Family& family) { return family.name == wanted; });
        if (found == known.end())
            throw Error(fmt::format("\"{}\" is not a family this version of Headscope can open; it knows {}.", wanted,
                                    fmt::join(familyNames(), ", ")));
        return *found;
    }
    if (const auto* written = familyOfUser(checkpoint, known))
        return *written;
    const auto found = std::find_if(known.begin(), known.end(), [&](const Family& family) { return family.recognises(checkpoint); });
    if (found != known.end())
        return *found;
    if (const auto what = knownButUnsupported(checkpoint); !what.empty())
        throw Error(fmt::format("{} is {}; this version of Headscope cannot open it yet (it opens {}).", checkpoint.path.string(), what,
                                fmt::join(familyNames(), ", ")));
    throw Error(fmt::format("{} holds {} tensors (first: \"{}\"), but not of a model family Headscope knows; it opens {}.",
                            checkpoint.path.string(), checkpoint.tensors.size(),
                            checkpoint.tensors.empty() ? "" : checkpoint.tensors.front().name, fmt::join(familyNames(), ", ")));
}

/// A wish that a family cannot follow is refused rather than ignored.
void requireMemory(const ModelInfo& info, const OpenOptions& options)
{
    if (info.visibility.segment > 0 || (!options.memoryBlocks && !options.segment))
        return;
    throw Error(fmt::format("{} is a {} ({}), which reads a text whole: it has neither segments nor memory; leave {} out.",
                            info.path, info.variant, info.family, options.memoryBlocks ? "--memory-blocks" : "--segment"));
}

/// Whether the names, as they are, are those of a family's model; files of the packages say themselves where their parts lie.
bool isSomeModel(const Checkpoint& names)
{
    std::string embedding = "embedding.weight";
    if (const auto& parameters = names.hyperParameters; parameters.is_object() && parameters.contains("keys")) {
        const auto& keys = parameters.at("keys");
        if (keys.is_object() && keys.contains("embedding") && keys.at("embedding").is_string())
            embedding = keys.at("embedding").get<std::string>();
    }
    const auto known = families();
    return std::any_of(known.begin(), known.end(), [&](const Family& family) {
        return family.recognises(names) && (family.name != "switchhead" || names.find(embedding));
    });
}

CheckpointOptions checkpointOptions(const OpenOptions& options)
{
    return {options.sidecar, options.parameters, options.weights, isSomeModel};
}

} // namespace

std::shared_ptr<const Tokenizer> describeCommon(const FamilyInput& input, const nn::Weights& weights, TextPolicy convention, ModelInfo& info)
{
    return describeCommon(input, weights, [&convention](const std::filesystem::path&) { return convention; }, info);
}

std::shared_ptr<const Tokenizer> describeCommon(const FamilyInput& input, const nn::Weights& weights,
                                                const std::function<TextPolicy(const std::filesystem::path& tokenizer)>& convention, ModelInfo& info)
{
    const auto& checkpoint = input.checkpoint;
    info.path = checkpoint.path.string();
    info.container = checkpoint.container;
    info.parameters = weights.parameters();
    info.modelBytes = static_cast<std::int64_t>(checkpoint.modelBytes());
    info.bytesRead = static_cast<std::int64_t>(checkpoint.bytesRead());
    info.device = nn::toString(input.compute.device);
    info.dtype = input.compute.dtype == at::kFloat ? "float32" : "bfloat16";
    info.notes.insert(info.notes.begin(), checkpoint.notes.begin(), checkpoint.notes.end());

    auto search = input.options.tokenizer.empty() ? searchTokenizer(checkpoint.path, info.vocabulary)
                                                  : TokenizerSearch{input.options.tokenizer, {}};
    info.notes.insert(info.notes.end(), search.notes.begin(), search.notes.end());
    info.textPolicy = convention(search.path.value_or(std::filesystem::path()));
    if (input.options.textSplit)
        info.textPolicy.split = *input.options.textSplit;
    if (input.options.documentSeparator)
        info.textPolicy.documentSeparator = *input.options.documentSeparator;
    if (!search.path) {
        if (!info.withoutTokenizer.empty()) {
            info.notes.push_back(info.withoutTokenizer);
            return nullptr;
        }
        info.notes.emplace_back("No tokenizer was found beside the checkpoint: texts can be given as ids only, or name one with --tokenizer.");
        if (!search.notes.empty()) // what lies there, and why it is of no use: whoever asks for a text has to hear it
            info.withoutTokenizer = fmt::format("no tokenizer beside it can be used. {} Give the one it was trained with (--tokenizer), or the text as ids.",
                                                fmt::join(search.notes, " "));
        return nullptr;
    }
    auto tokenizer = openTokenizer(*search.path);
    info.tokenizer = fmt::format("{} ({})", tokenizer->description(), tokenizer->path().string());
    if (!input.options.tokenizer.empty() && tokenizer->size() != info.vocabulary)
        info.notes.push_back(fmt::format("The tokenizer has {} pieces, the embedding {} rows.", tokenizer->size(), info.vocabulary));
    return tokenizer;
}

std::shared_ptr<const Model> openModel(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    // The device first: a wrong one is said at once, and libtorch_cuda must be in the process before ATen is asked anything.
    const nn::Compute compute{nn::resolveDevice(options.device), options.dtype == ComputeType::Float32 ? at::kFloat : at::kBFloat16};
    auto checkpoint = openCheckpoint(path, checkpointOptions(options), progress);
    bringNestedParametersUp(checkpoint);
    const auto& family = chooseFamily(checkpoint, options.family);
    const c10::InferenceMode inference;
    auto model = family.open({checkpoint, options, compute, progress});
    requireMemory(*model->info(), options);
    return model;
}

std::string modelFingerprint(const std::filesystem::path& path, const OpenOptions& options, const Progress& progress)
{
    return fingerprint(openCheckpoint(path, checkpointOptions(options), progress), progress);
}

std::vector<std::string> availableDevices() { return nn::deviceNames(); }

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const auto& family : families())
        names.emplace_back(family.name);
    return names;
}

} // namespace headscope::core
