// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/moe_attention/configuration.h"

#include <memory>

namespace headscope::core::moe_attention {

std::shared_ptr<const nn::AttentionBlock> headMixtureAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration,
                                                               const LayerPlace& place);
std::shared_ptr<const nn::AttentionBlock> slotAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place);
std::shared_ptr<const nn::AttentionBlock> denseAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place);

std::shared_ptr<const nn::FeedForward> denseFeedForward(nn::Weights& weights, Arguments& arguments, const Configuration& configuration,
                                                        const LayerPlace& place);
std::shared_ptr<const nn::FeedForward> expertFeedForward(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place);

/// Rotary positions of the arguments for heads of this width. Throws Error for an odd number of rotated dimensions.
nn::Rotary rotary(Arguments& arguments, const Configuration& configuration, std::int64_t headWidth);

} // namespace headscope::core::moe_attention
