// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/other_formats.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

constexpr int kMostEntries = 4096;

bool holds(const PickleDocument& document, PickleId dict, std::string_view key)
{
    return document.find(dict, key).has_value();
}

bool isDeepSpeed(const PickleDocument& document)
{
    return holds(document, document.root, "ds_version") || holds(document, document.root, "ds_config") ||
           holds(document, document.root, "param_shapes") || holds(document, document.root, "zero_stage");
}

bool isNumpyArray(const PickleDocument& document, PickleId id)
{
    const std::string name = document.className(id);
    return name == "numpy.core.multiarray._reconstruct" || name == "numpy._core.multiarray._reconstruct";
}

bool holdsNumpyArrays(const PickleDocument& document, PickleId dict)
{
    for (const auto& [key, value] : document.entriesOf(dict)) {
        if (isNumpyArray(document, value))
            return true;
    }
    return false;
}

bool endsWith(const fs::path& file, std::string_view ending)
{
    return file.filename().string().ends_with(ending);
}

[[noreturn]] void throwDeepSpeedShard(const fs::path& file)
{
    throw Error(fmt::format(
        "{} is one part of a DeepSpeed checkpoint, in which ZeRO has cut the weights into flat pieces; put them together with "
        "DeepSpeed's own script, which lies in the folder of the run (python zero_to_fp32.py . pytorch_model.bin), and open what it writes.",
        shown(file)));
}

} // namespace

void refuseForeignFolder(const fs::path& folder)
{
    std::error_code error;
    bool parts = false;
    bool deepSpeed = fs::is_regular_file(folder / "zero_to_fp32.py", error);
    int left = kMostEntries;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator() && left > 0; entry.increment(error), --left) {
        parts = parts || entry->path().extension() == ".distcp";
        deepSpeed = deepSpeed || endsWith(entry->path(), "_optim_states.pt");
    }
    if (parts)
        throw Error(fmt::format("{} is a checkpoint of torch.distributed.checkpoint in several parts (.distcp); put them together with "
                                "python -m torch.distributed.checkpoint.format_utils dcp_to_torch {} model.pth, and open model.pth.",
                                shown(folder), shown(folder)));
    if (deepSpeed)
        throw Error(fmt::format("{} is a checkpoint of DeepSpeed; put its parts together with its own script in the folder of the run "
                                "(python zero_to_fp32.py . pytorch_model.bin), and open what it writes.",
                                shown(folder)));
}

void throwNoModel(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    const std::string name = shown(file.file()->path());
    if (isDeepSpeed(document))
        throwDeepSpeedShard(file.file()->path());
    PickleId whole = document.root;
    for (const std::string_view key : {"model", "state_dict", "model_state_dict", "module"})
        whole = document.find(document.root, key).value_or(whole);
    if (isNumpyArray(document, whole) || holdsNumpyArrays(document, whole) || holdsNumpyArrays(document, document.root))
        throw Error(fmt::format("{} holds NumPy arrays instead of tensors; convert them in Python with torch.from_numpy(array) and save the "
                                "dict again with torch.save.",
                                name));
    if (document.isObject(whole) && !document.isDictLike(whole))
        throw Error(fmt::format(
            "{} holds a whole Python object of class {} instead of a state dict, which would need its code to run; load "
            "it there and save its state_dict() with torch.save.",
            name, quotedName(document.className(whole))));
    std::string keys;
    for (const auto& [key, value] : document.entriesOf(document.root)) {
        if (const auto text = document.text(key); text && keys.size() < 200)
            keys += (keys.empty() ? "" : ", ") + quotedName(*text);
    }
    throw Error(fmt::format(
        "{} holds no state dict of a model: neither \"model\" nor \"state_dict\" nor its top level are a dict of tensors "
        "(found: {}); open the file that training saved as checkpoint.",
        name, keys.empty() ? "nothing with a name" : keys));
}

void refusePartialWeights(const TorchFile& file, const std::vector<TensorView>& tensors)
{
    if (tensors.empty())
        return;
    const bool cut = std::ranges::all_of(tensors, [](const TensorView& t) { return t.dtype != DType::Other && t.elementCount() == 0; });
    if (cut && isDeepSpeed(file.document()))
        throwDeepSpeedShard(file.file()->path());
    const auto flat = std::ranges::find_if(tensors, [](const TensorView& t) { return t.name.ends_with("flat_param"); });
    const auto partial = std::ranges::find_if(tensors, [](const TensorView& t) { return t.dtypeText.starts_with("torch.distributed."); });
    if (flat == tensors.end() && partial == tensors.end())
        return;
    const TensorView& example = flat != tensors.end() ? *flat : *partial;
    throw Error(fmt::format("{} holds only one machine's part of each tensor ({}), as FSDP keeps them; save the model with "
                            "StateDictType.FULL_STATE_DICT, or save it with torch.distributed.checkpoint and convert that with "
                            "python -m torch.distributed.checkpoint.format_utils dcp_to_torch FOLDER model.pth.",
                            shown(file.file()->path()), quotedName(example.name)));
}

} // namespace headscope::core
