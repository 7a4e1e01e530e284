// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/old_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace headscope::core::moe_attention {
namespace {

constexpr std::string_view oldKey = ".self_attn.data_to_k"; // only the old SwitchHead has it; the baselines keep data_to_q, sel_dst, out_proj

} // namespace

std::optional<Checkpoint> withTodaysNames(const Checkpoint& checkpoint, const Arguments& arguments)
{
    const auto isOld = [](const TensorView& tensor) { return tensor.name.ends_with(oldKey); };
    if (std::none_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), isOld))
        return std::nullopt;
    const auto isExpert = [&arguments](std::string_view key) { return arguments.integer(key).value_or(1) != 0; };
    // Before routers had a name of their own there was one for each side, of whichever projection of that side is a mixture.
    const std::array<std::pair<std::string_view, std::string_view>, 6> names{{
        {".self_attn.data_to_q", ".self_attn.projections.q"},
        {".self_attn.data_to_k", ".self_attn.projections.k"},
        {".self_attn.data_to_v", ".self_attn.projections.v"},
        {".self_attn.out_proj", ".self_attn.projections.o"},
        {".self_attn.sel_dst", isExpert("moe.att.o_expert") ? ".self_attn.selections.o" : ".self_attn.selections.q"},
        {".self_attn.sel_src", isExpert("moe.att.v_expert") ? ".self_attn.selections.v" : ".self_attn.selections.k"},
    }};
    auto renamed = checkpoint;
    for (auto& tensor : renamed.tensors)
        for (const auto& [before, now] : names)
            if (tensor.name.ends_with(before))
                tensor.name.replace(tensor.name.size() - before.size(), before.size(), now);
    std::sort(renamed.tensors.begin(), renamed.tensors.end(), [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
    return renamed;
}

} // namespace headscope::core::moe_attention
