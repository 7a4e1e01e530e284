// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/family.h"

#include <algorithm>
#include <array>

namespace headscope::core {
namespace {

/// Layouts that can be told from tensor names but not opened yet: every fragment must occur in some name.
struct Layout {
    std::string_view what;
    std::array<std::string_view, 3> fragments;
};

constexpr std::array layouts{
    Layout{"a ModuleFormer/MoLM model (moduleformer)", {"transformer.h.", ".attn.q_proj.experts.weight", ""}},
    Layout{"a JetMoE model (jetmoe)", {"model.layers.", ".self_attention.experts.input_linear.weight", ""}},
    Layout{"a fairseq MoA translation model (fairseq_moa)", {"encoder.layers.", ".self_attn.q_proj.experts.w", ""}},
    Layout{"a Llama-shaped model (MoH-LLaMA is one; the weights alone do not tell)", {"model.layers.", ".self_attn.q_proj.weight", ".mlp.gate_proj.weight"}},
};

} // namespace

std::string_view knownButUnsupported(const Checkpoint& checkpoint)
{
    const auto occurs = [&checkpoint](std::string_view fragment) {
        return fragment.empty() || std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(), [fragment](const TensorView& tensor) {
                   return tensor.name.find(fragment) != std::string::npos;
               });
    };
    for (const auto& layout : layouts)
        if (std::all_of(layout.fragments.begin(), layout.fragments.end(), occurs))
            return layout.what;
    return {};
}

} // namespace headscope::core
