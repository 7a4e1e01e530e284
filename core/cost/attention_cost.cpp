// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/attention_cost.h"

namespace headscope::core {

AttentionCost& AttentionCost::operator+=(const AttentionCost& other)
{
    multiplyAccumulates += other.multiplyAccumulates;
    routing += other.routing;
    storedFloats += other.storedFloats;
    parameters += other.parameters;
    matricesStored += other.matricesStored;
    matricesComputed += other.matricesComputed;
    attentionMatrices += other.attentionMatrices;
    return *this;
}

AttentionCost attentionCost(const AttentionShape& shape, const SequenceLength& length)
{
    const auto d = static_cast<double>(shape.width);
    const auto h = static_cast<double>(shape.headWidth);
    const auto hv = static_cast<double>(shape.valueWidth);
    const auto tokens = static_cast<double>(length.tokens);
    const double attended = static_cast<double>(length.tokens + length.memory); // C·T
    AttentionCost cost;
    const auto project = [&](const ProjectionCount& projection, double width) {
        cost.multiplyAccumulates += tokens * width * projection.computed * (d + (projection.gated ? 1 : 0));
        cost.parameters += projection.stored * static_cast<std::int64_t>(width) * shape.width;
        cost.matricesStored += projection.stored;
        cost.matricesComputed += projection.computed;
    };
    project(shape.query, h);
    project(shape.key, h);
    project(shape.value, hv);
    project(shape.output, hv);
    cost.multiplyAccumulates += attended * tokens * shape.heads * (h + hv) + 2 * attended * d * h * shape.positionHeads;
    cost.storedFloats = tokens * (shape.heads * (h + hv) + shape.keyHeads * (h + hv)) + 2 * attended * tokens * shape.heads +
                        2 * attended * h * shape.positionHeads;
    cost.parameters += shape.positionHeads * shape.headWidth * shape.width;
    cost.routing = tokens * d * static_cast<double>(shape.routerRows);
    cost.attentionMatrices = shape.heads;
    return cost;
}

} // namespace headscope::core
