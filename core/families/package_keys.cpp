// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/package_keys.h"

#include "core/checkpoint/message_text.h"
#include "core/error.h"
#include "core/families/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope::core {
namespace {

using enum KeyClass;

// name, class, default, where it acts, where it must be given, words, meaning
// clang-format off
constexpr std::array switchheadKeys{
    ParameterKey{"family", Cut, "switchhead", "", "", "", "which code trained it"},
    ParameterKey{"n_heads", Cut, "", "", "always", "", "heads H"},
    ParameterKey{"moe_k", Free, "2", "experts", "always", "", "experts a token chooses"},
    ParameterKey{"moe_k", Settled, "2", "", "", "", "experts a token chooses: the only one"},
    ParameterKey{"position_encoding", Cut, "", "", "always", "rope, xl", "positions"},
    ParameterKey{"rotate_fraction", Free, "0.5", "rope", "", "", "share of the head width that is rotated"},
    ParameterKey{"rope_base", Free, "10000.0", "rope rotates", "", "", "base of the rotary frequencies"},
    ParameterKey{"block", Cut, "prenorm_residual", "", "", "prenorm_residual", "what a layer is: x + attention(norm(x))"},
    ParameterKey{"layer_norm_eps", Free, "1e-5", "", "", "", "what is added to a variance"},
    ParameterKey{"embedding_scale", Free, "1.0", "", "", "", "factor of the embedding"},
    ParameterKey{"keys", Cut, "", "", "", "", "where the parts of the model lie"},
    ParameterKey{"d_model", Settled, "", "", "", "", "width d"},
    ParameterKey{"d_head", Cut, "none", "", "", "", "head width; none says nothing"},
    ParameterKey{"n_experts", Cut, "", "", "", "", "experts E of a head"},
    ParameterKey{"n_layers", Settled, "", "", "", "", "layers"},
    ParameterKey{"dropout", Training},
    ParameterKey{"expert_dropout", Training},
    ParameterKey{"init_scale", Training},
};

constexpr std::array moeutKeys{
    ParameterKey{"family", Cut, "moeut", "", "", "", "which code trained it"},
    ParameterKey{"n_layers", Free, "", "", "always", "", "applications of the layer modules"},
    ParameterKey{"n_heads", Cut, "", "", "always", "", "heads H"},
    ParameterKey{"att_k", Free, "2", "experts", "always", "", "attention experts a token chooses"},
    ParameterKey{"att_k", Settled, "2", "", "", "", "attention experts a token chooses: the only one"},
    ParameterKey{"ff_k", Free, "8", "", "always", "", "feed-forward experts a token chooses"},
    ParameterKey{"rotate_fraction", Free, "0.5", "rope", "", "", "share of the head width that is rotated"},
    ParameterKey{"rope_base", Free, "10000.0", "rope rotates", "", "", "base of the rotary frequencies"},
    ParameterKey{"d_model", Settled, "", "", "", "", "width d"},
    ParameterKey{"d_head", Cut, "none", "", "", "", "head width; none says nothing"},
    ParameterKey{"att_n_experts", Cut, "", "", "", "", "attention experts E of a head"},
    ParameterKey{"ff_n_experts", Cut, "", "", "", "", "feed-forward experts"},
    ParameterKey{"ff_expert_size", Settled, "", "", "", "", "width of a feed-forward expert"},
    ParameterKey{"group_size", Settled, "", "", "", "", "layer modules"},
    ParameterKey{"n_tokens", Settled, "", "", "", "", "vocabulary"},
    ParameterKey{"att_entropy_reg", Training},
    ParameterKey{"att_expert_dropout", Training},
    ParameterKey{"dropout", Training},
    ParameterKey{"entropy_reg", Training},
    ParameterKey{"ff_expert_dropout", Training},
};
// clang-format on

Traits attentionTraits(const Checkpoint& checkpoint, const Arguments& arguments, const std::string& prefix)
{
    Traits traits;
    if (shapeOf(checkpoint, prefix + "v").size() == 3)
        traits.insert("experts");
    if (!checkpoint.find(prefix + "pos_to_pk"))
        traits.insert("rope");
    // Two rotated dimensions turn by the position itself: only further ones know the base.
    const auto rows = shapeOf(checkpoint, prefix + "q.weight");
    const auto heads = arguments.integer("n_heads").value_or(0);
    if (heads < 1 || rows.empty() ||
        arguments.number("rotate_fraction").value_or(0.5) * static_cast<double>(rows[0] / heads) >= 4)
        traits.insert("rotates");
    return traits;
}

Traits switchheadTraits(const Checkpoint& checkpoint, const Arguments& arguments)
{
    return attentionTraits(checkpoint, arguments, packageNames(checkpoint).attentionPrefix(0));
}

Traits moeutTraits(const Checkpoint& checkpoint, const Arguments& arguments)
{
    return attentionTraits(checkpoint, arguments, "transformer.layers.0.attention.");
}

} // namespace

constinit const ParameterTable switchheadPackageTable{"switchhead", switchheadKeys, {}, switchheadTraits};
constinit const ParameterTable moeutPackageTable{"moeut", moeutKeys, {}, moeutTraits};

std::string PackageNames::layer(int index) const
{
    auto name = layers;
    if (const auto at = name.find("{l}"); at != std::string::npos)
        name.replace(at, 3, std::to_string(index));
    return name + ".";
}

PackageNames packageNames(const Checkpoint& checkpoint)
{
    PackageNames names;
    const auto& parameters = checkpoint.hyperParameters;
    if (!parameters.is_object() || !parameters.contains("keys"))
        return names;
    const auto file = shown(checkpoint.path);
    const auto& from = checkpoint.hyperParametersFrom;
    const auto& given = parameters.at("keys");
    if (!given.is_object())
        throw Error(fmt::format("{}: \"keys\" in {} should be an object that names tensors.", file, from));
    const std::array<std::pair<std::string_view, std::string*>, 6> known{{{"embedding", &names.embedding},
                                                                          {"layers", &names.layers},
                                                                          {"norm", &names.norm},
                                                                          {"attention", &names.attention},
                                                                          {"out_norm", &names.outNorm},
                                                                          {"lm_head", &names.head}}};
    for (const auto& [part, name] : given.items()) {
        const auto* found =
            std::find_if(known.begin(), known.end(), [&part = part](const auto& one) { return one.first == part; });
        if (found == known.end())
            throw Error(fmt::format("{}: {} is no part of a model that \"keys\" in {} can name; they are embedding, layers, "
                                    "norm, attention, out_norm and "
                                    "lm_head.",
                                    file, quotedName(part), from));
        if (!name.is_string())
            throw Error(fmt::format("{}: \"keys.{}\" in {} should be the name of a tensor.", file, part, from));
        *found->second = name.get<std::string>();
    }
    return names;
}

} // namespace headscope::core
