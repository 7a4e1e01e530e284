// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/model_cost.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headscope::core {
namespace {

/// The decisions of one site of a block; nullptr where the projection is dense.
const Router* routerAt(const ModelInfo& model, const MapGroup& block, Site site)
{
    for (const Router& router : model.routers) {
        if (router.address.mapAddress() == block.address && router.address.site == site)
            return &router;
    }
    return nullptr;
}

/// Which weights the layer of a block applies; nullopt where it has its own. Any router of the layer says so.
std::optional<std::string> weightsGroupOf(const ModelInfo& model, const MapAddress& block)
{
    for (const Router& router : model.routers) {
        if (router.address.stack == block.stack && router.address.depth == block.depth && router.weightsGroup)
            return router.weightsGroup;
    }
    return std::nullopt;
}

/// Whoever gates without choosing (one expert) has dense projections that are gated.
ProjectionCount projection(const Router* router, int heads, bool gated)
{
    if (router == nullptr)
        return {.stored = heads, .computed = heads, .gated = false};
    return {.stored = router->experts * (router->expertsOfAllHeads ? 1 : heads),
            .computed = router->chosen * heads,
            .gated = gated};
}

} // namespace

AttentionShape attentionShape(const ModelInfo& model, const MapGroup& block)
{
    AttentionShape shape;
    shape.width = model.width;
    shape.heads = block.maps;
    shape.keyHeads = block.keyHeads;
    shape.headWidth = block.width;
    shape.valueWidth = block.valueWidth;
    shape.positionHeads = block.relativeHeads;
    if (const Router* const both =
            routerAt(model, block, Site::QO)) { // an expert brings its query and its output projection
        shape.query = {.stored = both->experts * block.keyHeads, .computed = block.maps, .gated = false};
        shape.output = {.stored = both->experts * block.keyHeads, .computed = block.maps, .gated = true};
    } else {
        shape.query = projection(routerAt(model, block, Site::Q), block.maps, true);
        shape.output = projection(routerAt(model, block, Site::O), block.maps, true);
    }
    shape.key = projection(routerAt(model, block, Site::K), block.keyHeads, true);
    shape.value = projection(routerAt(model, block, Site::V), block.keyHeads, true);
    for (const Router& router : model.routers) {
        if (router.address.mapAddress() == block.address && !router.sharedWith)
            shape.routerRows += router.experts;
    }
    return shape;
}

ModelCost modelCost(const ModelInfo& model, const SequenceLength& length)
{
    ModelCost result;
    result.length = length;
    std::set<std::pair<std::string, Block>> stored;
    for (const MapGroup& block : model.maps) {
        const AttentionShape shape = attentionShape(model, block);
        const AttentionCost cost = attentionCost(shape, length);
        result.blocks.push_back({block.address, shape, cost});
        AttentionCost added = cost;
        if (const auto group = weightsGroupOf(model, block.address);
            group && !stored.emplace(*group, block.address.block).second)
            added.parameters = added.matricesStored = 0;
        result.all += added;
    }
    return result;
}

std::optional<SequenceLength> trainedLength(const ModelInfo& model)
{
    if (model.visibility.segment <= 0)
        return std::nullopt;
    return SequenceLength{.tokens = model.visibility.segment,
                          .memory = model.visibility.segment * model.visibility.segmentsBack};
}

} // namespace headscope::core
