// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/model_dict.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_json.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace headscope::core {
namespace {

// Large or meaningless to a viewer.
constexpr std::array<std::string_view, 8> kSkippedExtras = {
    "optimizer", "optimizer_history", "last_optimizer_state", "optimizer_state_dict",
    "scaler",    "sampler",           "lr_scheduler",         "interface"};

/// Which dicts hold tensors. Many values can share one dict, which is asked once.
class TensorDicts
{
public:
    explicit TensorDicts(const TorchFile& file) : m_file(file) {}

    bool holdsTensors(PickleId id)
    {
        for (const auto& content : m_file.document().contentsOf(id)) {
            if (content && contentHolds(*content))
                return true;
        }
        return false;
    }

private:
    bool contentHolds(PickleId content)
    {
        const auto [known, fresh] = m_known.try_emplace(static_cast<std::uint32_t>(content), false);
        if (!fresh)
            return known->second;
        for (const auto& [key, value] : m_file.document().entriesOfContent(content)) {
            if (m_file.document().text(key) && m_file.isTensor(value))
                return known->second = true;
        }
        return false;
    }

    const TorchFile& m_file;
    std::unordered_map<std::uint32_t, bool> m_known;
};

} // namespace

nlohmann::json extrasOf(const TorchFile& file)
{
    const PickleDocument& document = file.document();
    TensorDicts dicts(file);
    PickleJsonBudget budget(document);
    nlohmann::json extras = nlohmann::json::object();
    for (const auto& [key, value] : document.entriesOf(document.root)) {
        const std::optional<std::string_view> name = document.text(key);
        constexpr std::size_t longestName = 128;
        if (budget.values < 0)
            break;
        if (!name || name->size() > longestName || file.isTensor(value) || *name == "run_invariants" ||
            std::ranges::find(kSkippedExtras, *name) != kSkippedExtras.end() || dicts.holdsTensors(value))
            continue;
        extras[toUtf8(*name)] = pickleToJson(document, value, budget);
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
