// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/model_dict.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope::core {
namespace {

// Where training codes put the state dict, in the order of preference.
constexpr std::array<std::string_view, 4> kModelKeys = {"model", "state_dict", "model_state_dict", "module"};
// Large or meaningless to a viewer.
constexpr std::array<std::string_view, 8> kSkippedExtras = {
    "optimizer", "optimizer_history", "last_optimizer_state", "optimizer_state_dict",
    "scaler",    "sampler",           "lr_scheduler",         "interface"};
constexpr std::array<std::string_view, 2> kPrefixes = {"module.", "_orig_mod."};

bool holdsTensors(const TorchFile& file, PickleId id)
{
    return std::ranges::any_of(file.document().entriesOf(id), [&](const auto& entry) {
        return file.document().text(entry.first).has_value() && file.isTensor(entry.second);
    });
}

std::optional<PickleId> findModel(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    for (const std::string_view key : kModelKeys) {
        const std::optional<PickleId> candidate = document.find(document.root, key);
        if (candidate && holdsTensors(file, *candidate))
            return candidate;
    }
    return holdsTensors(file, document.root) ? std::optional(document.root) : std::nullopt;
}

[[noreturn]] void throwNoModel(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    const std::string name = shown(file.file()->path());
    PickleId whole = document.root;
    for (const std::string_view key : kModelKeys)
        whole = document.find(document.root, key).value_or(whole);
    if (document.get<PickleObject>(whole) != nullptr && !document.isDictLike(whole))
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

bool everyNameStartsWith(const std::vector<TensorView>& tensors, std::string_view prefix)
{
    return !tensors.empty() && std::ranges::all_of(tensors, [&](const TensorView& t) { return t.name.starts_with(prefix); });
}

/// Takes common prefixes off, in any order and number; returns what was taken off.
std::string stripPrefixes(std::vector<TensorView>& tensors)
{
    std::string taken;
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view prefix : kPrefixes) {
            if (!everyNameStartsWith(tensors, prefix))
                continue;
            for (TensorView& tensor : tensors)
                tensor.name.erase(0, prefix.size());
            taken += prefix;
            again = true;
        }
    }
    return taken;
}

} // namespace

NamedTensors withPlainNames(std::vector<TensorView> tensors, const std::filesystem::path& path)
{
    NamedTensors result{std::move(tensors), {}};
    if (const std::string taken = stripPrefixes(result.tensors); !taken.empty())
        result.notes.push_back(fmt::format("Every tensor name began with {}, which was left out.", quotedName(taken)));
    std::ranges::sort(result.tensors, {}, &TensorView::name);
    const auto twice = std::ranges::adjacent_find(result.tensors, {}, &TensorView::name);
    if (twice != result.tensors.end())
        throw Error(fmt::format(
            "{} has two tensors named {} (duplicate key); which one counts cannot be known: download the file again.",
            shown(path), quotedName(twice->name)));
    return result;
}

NamedTensors modelTensors(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    const std::optional<PickleId> model = findModel(file);
    if (!model)
        throwNoModel(file);
    NamedTensors result;
    std::size_t others = 0;
    for (const auto& [key, value] : document.entriesOf(*model)) {
        const std::optional<std::string_view> name = document.text(key);
        if (!name || !file.isTensor(value)) {
            ++others;
            continue;
        }
        if (!isUtf8(*name))
            throw Error(fmt::format("{}: the tensor name {} is no valid text; the file is damaged, download it again.",
                                    shown(file.file()->path()), quotedName(*name)));
        result.tensors.push_back(file.tensor(value, std::string(*name)));
    }
    if (others != 0 && *model != document.root)
        result.notes.push_back(fmt::format("{} entries of the state dict are not tensors and were left out.", others));
    return result;
}

nlohmann::json extrasOf(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    nlohmann::json extras = nlohmann::json::object();
    for (const auto& [key, value] : document.entriesOf(document.root)) {
        const std::optional<std::string_view> name = document.text(key);
        if (!name || file.isTensor(value) || holdsTensors(file, value) || *name == "run_invariants" ||
            std::ranges::find(kSkippedExtras, *name) != kSkippedExtras.end())
            continue;
        extras[toUtf8(*name)] = pickleToJson(document, value);
    }
    return extras;
}

nlohmann::json runArguments(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    const std::optional<PickleId> invariants = document.find(document.root, "run_invariants");
    const std::optional<PickleId> args = invariants ? document.find(*invariants, "args") : std::nullopt;
    if (!args || !document.isDictLike(*args))
        return nullptr;
    return pickleToJson(document, *args);
}

} // namespace headscope::core
