// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of earlier segments: what the model computes in one pass, or segment by segment, equals running a text as training does.
#include "tests/core/families/changed_checkpoint.h"
#include "tests/core/families/segmented_reference.h"

#include "core/attention/maps.h"
#include "core/trace/trace_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

namespace headscope::tests {
namespace {

struct MemoryCase {
    std::int64_t unroll = 0;
    std::int64_t blocks = 0;
    bool sameLength = false;
    bool lastLayer = false;
};

class Memory : public ChangedCheckpoint, public ::testing::WithParamInterface<MemoryCase>
{
protected:
    std::shared_ptr<const core::Model> remembering(const MemoryCase& wanted)
    {
        set("lm.unroll", wanted.unroll);
        set("lm.trafo.context_blocks", wanted.blocks);
        set("lm.trafo.same_length_eval", std::int64_t{wanted.sameLength});
        set("lm.trafo.last_layer_context", std::int64_t{wanted.lastLayer});
        return open();
    }
    SegmentedReference reference(const core::Model& model, const MemoryCase& wanted) const
    {
        SegmentedReference::Settings settings;
        settings.heads = static_cast<std::size_t>(model.info()->heads);
        settings.chosen = static_cast<std::size_t>(model.info()->routers.front().chosen);
        settings.unroll = static_cast<std::size_t>(wanted.unroll);
        settings.blocks = static_cast<std::size_t>(wanted.blocks);
        settings.sameLength = wanted.sameLength;
        settings.lastLayer = wanted.lastLayer;
        return {file.tensors, settings};
    }
    static std::vector<core::TokenId> ids(std::size_t tokens, std::int64_t vocabulary, std::int64_t seed = 13)
    {
        std::vector<core::TokenId> ids;
        for (std::size_t t = 0; t < tokens; ++t)
            ids.push_back(static_cast<core::TokenId>((static_cast<std::int64_t>(t) * 7919 + seed) % vocabulary));
        return ids;
    }
};

TEST_P(Memory, EqualsRunningSegmentBySegment)
{
    const auto model = remembering(GetParam());
    const auto text = ids(29, model->info()->vocabulary); // three whole segments of the longest and a broken one
    const auto expected = reference(*model, GetParam()).run(text);
    const auto trace = model->trace(model->tokensFromIds(text), {.logits = true});
    EXPECT_EQ(core::traceCost(*model->info(), trace->options, trace->tokens()).keptBytes, core::keptBytes(*trace));
    const auto vocabulary = static_cast<std::size_t>(model->info()->vocabulary);
    for (std::size_t t = 0; t < text.size(); ++t)
        for (std::size_t v = 0; v < vocabulary; ++v)
            ASSERT_NEAR(trace->logits[t * vocabulary + v], expected.logits[t][v], 1e-4) << "token " << t;
    for (std::size_t l = 0; l < trace->attention.size(); ++l)
        for (const auto& map : core::mapsOf(*trace->attention[l])) {
            const auto whole = core::wholeMap(*trace, map);
            ASSERT_EQ(whole.area.columns, 29);
            for (std::size_t i = 0; i < text.size(); ++i)
                for (std::size_t j = 0; j < text.size(); ++j)
                    ASSERT_NEAR(whole.values[i * text.size() + j], expected.maps[l][static_cast<std::size_t>(map.index)][i][j], 1e-4)
                        << map.toString(false) << " " << i << "," << j;
        }
}

TEST_P(Memory, OfAKnownBeginningEqualsTheWholeRun)
{
    const auto model = remembering(GetParam());
    const auto long_ = ids(40, model->info()->vocabulary);
    const auto before = model->trace(model->tokensFromIds(long_), {.predictions = 1});
    for (const std::size_t common : {2U, 7U, 8U, 9U, 16U, 17U, 23U, 24U, 31U, 39U, 40U}) {
        auto changed = ids(33, model->info()->vocabulary, 99);
        std::copy(long_.begin(), long_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(common, 33)), changed.begin());
        const auto whole = model->trace(model->tokensFromIds(changed), {.predictions = 1});
        core::TraceOptions options{.predictions = 1};
        options.prefix = before;
        const auto reused = model->trace(model->tokensFromIds(changed), options);
        for (std::size_t t = 1; t < 33; ++t)
            ASSERT_NEAR(whole->loss[t], reused->loss[t], 1e-4) << common << " common, token " << t;
        ASSERT_EQ(whole->sites.size(), reused->sites.size());
        for (std::size_t s = 0; s < whole->sites.size(); ++s)
            ASSERT_EQ(whole->sites[s]->experts, reused->sites[s]->experts) << common;
        for (std::size_t l = 0; l < whole->attention.size(); ++l) {
            ASSERT_EQ(whole->attention[l]->keys.size(), reused->attention[l]->keys.size()) << common;
            for (const auto& map : core::mapsOf(*whole->attention[l]))
                EXPECT_THAT(core::wholeMap(*reused, map).values,
                            ::testing::Pointwise(::testing::FloatNear(1e-4F), core::wholeMap(*whole, map).values)) << common;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Segments, Memory,
                         ::testing::Values(MemoryCase{8, 1, false, false}, MemoryCase{8, 2, false, false}, MemoryCase{8, 1, true, false},
                                           MemoryCase{8, 3, true, false}, MemoryCase{5, 2, true, false}, MemoryCase{8, 1, false, true},
                                           MemoryCase{8, 2, false, true}, MemoryCase{5, 3, true, true}, MemoryCase{100, 1, true, true}),
                         [](const auto& tested) {
                             return fmt::format("u{}_n{}{}{}", tested.param.unroll, tested.param.blocks, tested.param.sameLength ? "_same_length" : "",
                                                tested.param.lastLayer ? "_last_layer" : "");
                         });

TEST_F(Memory, LastLayerMemoryRecordsEveryTokenOnceAndSaysSo)
{
    const auto model = remembering({8, 2, false, true});
    const auto trace = model->trace(model->tokensFromIds(ids(29, model->info()->vocabulary)), {});
    for (const auto& site : trace->sites)
        EXPECT_EQ(site->tokens, 29) << site->router.address.toString();
    EXPECT_THAT(model->info()->notes, ::testing::Contains(::testing::HasSubstr("last_layer_context")));
    const auto none = model->trace(model->tokensFromIds({}), {});
    EXPECT_EQ(none->attention.size(), model->info()->maps.size());
    EXPECT_EQ(none->attention.front()->columns, 0);
}

TEST_F(Memory, SameLengthOfTrainingHoldsInEvaluationToo)
{
    set("lm.trafo.same_length", std::int64_t{1});
    EXPECT_TRUE(open()->info()->visibility.sameLength);
    set("lm.trafo.context_blocks", std::int64_t{0});
    EXPECT_FALSE(open()->info()->visibility.sameLength);
}

} // namespace
} // namespace headscope::tests
