// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/model_cost.h"

#include <gtest/gtest.h>

namespace headscope::tests {
namespace {

core::Router router(int depth, core::Site site, std::optional<int> head, std::optional<std::string> group)
{
    core::Router result;
    result.address = {core::Stack::None, depth, core::Block::Self, site, head};
    result.experts = 4;
    result.chosen = 2;
    result.weightsGroup = std::move(group);
    return result;
}

/// Two heads with four experts for values and outputs in each of `layers` layers.
core::ModelInfo model(int layers, bool repeated)
{
    core::ModelInfo info;
    info.width = 6;
    info.visibility.segment = 8;
    info.visibility.segmentsBack = 1;
    for (int depth = 0; depth < layers; ++depth) {
        info.maps.push_back({.address = {core::Stack::None, depth, core::Block::Self},
                             .maps = 2,
                             .keyHeads = 2,
                             .width = 3,
                             .valueWidth = 5,
                             .relativeHeads = 2});
        for (const core::Site site : {core::Site::V, core::Site::O})
            for (const int head : {0, 1})
                info.routers.push_back(
                    router(depth, site, head, repeated ? std::optional<std::string>("layers.0") : std::nullopt));
    }
    return info;
}

TEST(ModelCost, TakesItsSizesFromWhatAModelIs)
{
    const core::ModelInfo info = model(1, false);
    const core::AttentionShape shape = core::attentionShape(info, info.maps.front());
    EXPECT_EQ(shape.query.stored, 2);
    EXPECT_EQ(shape.query.computed, 2);
    EXPECT_EQ(shape.value.stored, 8);
    EXPECT_EQ(shape.value.computed, 4);
    EXPECT_TRUE(shape.value.gated);
    EXPECT_EQ(shape.routerRows, 16);
    EXPECT_EQ(core::trainedLength(info)->tokens, 8);
    EXPECT_EQ(core::trainedLength(info)->memory, 8);
}

TEST(ModelCost, HeadsThatShareTheirExpertsStoreThemOnce)
{
    core::ModelInfo info = model(1, false);
    for (core::Router& router : info.routers)
        router.expertsOfAllHeads = true;
    const core::AttentionShape shape = core::attentionShape(info, info.maps.front());
    EXPECT_EQ(shape.value.stored, 4);
    EXPECT_EQ(shape.value.computed, 4);
}

TEST(ModelCost, RepeatedLayersAreStoredOnceAndComputedEachTime)
{
    const core::SequenceLength length{.tokens = 8, .memory = 8};
    const core::ModelCost one = core::modelCost(model(1, true), length);
    const core::ModelCost three = core::modelCost(model(3, true), length);
    const core::ModelCost own = core::modelCost(model(3, false), length);
    EXPECT_EQ(three.all.parameters, one.all.parameters);
    EXPECT_EQ(three.all.matricesStored, one.all.matricesStored);
    EXPECT_EQ(three.all.matricesComputed, 3 * one.all.matricesComputed);
    EXPECT_DOUBLE_EQ(three.all.multiplyAccumulates, 3 * one.all.multiplyAccumulates);
    EXPECT_EQ(own.all.parameters, 3 * one.all.parameters);
    EXPECT_EQ(own.blocks.size(), 3U);
}

TEST(ModelCost, ADecisionThatIsSharedIsRoutedOnce)
{
    core::ModelInfo info = model(1, false);
    for (core::Router& router : info.routers)
        if (router.address.site == core::Site::V)
            router.sharedWith =
                core::RouterAddress{core::Stack::None, 0, core::Block::Self, core::Site::O, router.address.head};
    EXPECT_EQ(core::attentionShape(info, info.maps.front()).routerRows, 8);
}

} // namespace
} // namespace headscope::tests
