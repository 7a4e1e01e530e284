// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cost/attention_cost.h"
#include "core/trace/model_info.h"

#include <optional>
#include <vector>

namespace headscope::core {

/// The attention of one block.
struct BlockCost {
    MapAddress address;
    AttentionShape shape;
    AttentionCost cost;
};

/// The attention of a model. Layers that are applied more than once are computed as often, but stored once.
struct ModelCost {
    SequenceLength length;
    std::vector<BlockCost> blocks; // in order of the forward pass
    AttentionCost all;             // parameters and stored matrices of shared weights are counted once
};

AttentionShape attentionShape(const ModelInfo& model, const MapGroup& block);

ModelCost modelCost(const ModelInfo& model, const SequenceLength& length);

/// A segment of the model and the memory it is run with; nullopt when its hyper-parameters do not say.
std::optional<SequenceLength> trainedLength(const ModelInfo& model);

} // namespace headscope::core
