// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/arguments.h"
#include "core/nn/weights.h"

#include <cstdint>
#include <string>

namespace headscope::core::moe_attention {

// What tensors and hyper-parameters say about the same thing is compared here. All throw Error where the table refuses
// another value.

/// Embedding, output and vocabulary.
void confirmEnds(const nn::Weights& weights, Arguments& arguments);
/// The width of a head: `heads` of them, a model of width d.
void confirmHeadWidth(Arguments& arguments, std::int64_t headWidth, std::int64_t width, std::int64_t heads,
                      const std::string& tensor);
/// The experts that one of q, k, v, o chooses from.
void confirmExperts(Arguments& arguments, char letter, std::int64_t experts, const std::string& tensor);
/// Which routers a SwitchHead layer has of its own; `prefix` of its tensors.
void confirmSharing(const nn::Weights& weights, Arguments& arguments, const std::string& prefix);
/// Takes the tensors that the table names as without a part.
void ignoreKnown(nn::Weights& weights, const ParameterTable& table);

} // namespace headscope::core::moe_attention
