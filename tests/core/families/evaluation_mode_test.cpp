// SPDX-License-Identifier: GPL-3.0-or-later
// A model is run as in the own evaluation of its training code: every key that acts there, alone and together, against
// running segment by segment.
#include "tests/core/families/expected_trace.h"
#include "tests/core/families/segmented_reference.h"
#include "tests/core/families/variants.h"

#include "core/attention/maps.h"
#include "core/families/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope::tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// What the arguments say, and what evaluation makes of it.
struct EvaluationCase {
    std::string name;
    std::int64_t unroll = 8, blocks = 1, unrollEval = 0, testBlocks = 0; // 0: "none"
    bool sameLength = false, sameLengthEval = false, lastLayer = false;
    std::optional<std::int64_t> wantedBlocks = {}, wantedSegment = {}; // --memory-blocks, --segment

    std::size_t segment() const
    {
        return static_cast<std::size_t>(wantedSegment.value_or(unrollEval > 0 ? unrollEval : unroll));
    }
    std::size_t memory() const
    {
        return static_cast<std::size_t>(wantedBlocks.value_or(testBlocks > 0 ? testBlocks : blocks));
    }
};

/// What GoogleTest prints of a case.
void PrintTo(const EvaluationCase& tested, std::ostream* out)
{
    *out << tested.name;
}

Variant variantOf(const EvaluationCase& tested)
{
    Variant v;
    v.mixtures = "vo";
    v.unroll = tested.unroll;
    v.blocks = tested.blocks;
    v.evaluationUnroll = tested.unrollEval;
    v.evaluationBlocks = tested.testBlocks;
    v.sameLengthOfTraining = tested.sameLength;
    v.sameLength = tested.sameLengthEval;
    v.lastLayer = tested.lastLayer;
    return v;
}

class EvaluationMode : public ::testing::TestWithParam<EvaluationCase>
{
protected:
    void SetUp() override
    {
        std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::ranges::replace(name, '/', '_');
        folder = std::filesystem::path(::testing::TempDir()) / ("evaluation_mode_" + name);
        std::filesystem::create_directories(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::shared_ptr<const core::Model> open(const test::TorchCheckpoint& file, core::OpenOptions options = {}) const
    {
        test::writeTorchCheckpoint(folder / "model.pth", file);
        options.device = "cpu";
        return core::openModel(folder / "model.pth", options);
    }
    static std::vector<core::TokenId> ids(std::size_t tokens)
    {
        std::vector<core::TokenId> result;
        for (std::size_t i = 0; i < tokens; ++i)
            result.push_back(static_cast<core::TokenId>((i * 7919 + i * i + 13) % 40));
        return result;
    }
    static std::vector<float> logits(const core::Model& model, std::size_t tokens = 61)
    {
        return model.trace(model.tokensFromIds(ids(tokens)), {.logits = true})->logits;
    }
    static void set(test::TorchCheckpoint& file, const std::string& key, test::TorchArg value)
    {
        std::erase_if(file.args, [&key](const auto& entry) { return entry.first == key; });
        file.args.emplace_back(key, std::move(value));
    }
    std::string refusal(const test::TorchCheckpoint& file, const core::OpenOptions& options = {}) const
    {
        try {
            open(file, options);
        } catch (const core::Error& error) {
            return error.what();
        }
        return {};
    }

    std::filesystem::path folder;
};

TEST_P(EvaluationMode, EqualsRunningSegmentBySegment)
{
    const auto& tested = GetParam();
    const auto v = variantOf(tested);
    const auto file = plainCheckpoint(v);
    core::OpenOptions options;
    options.memoryBlocks = tested.wantedBlocks;
    options.segment = tested.wantedSegment;
    const auto model = open(file, options);
    EXPECT_EQ(model->info()->visibility.segment, static_cast<std::int64_t>(tested.segment()));
    EXPECT_EQ(model->info()->visibility.segmentsBack, static_cast<std::int64_t>(tested.memory()));

    const auto text = ids(61); // longer than three segments of any case
    const SegmentedReference reference(file.tensors, {.heads = static_cast<std::size_t>(v.heads),
                                                      .chosen = static_cast<std::size_t>(v.chosen),
                                                      .unroll = tested.segment(),
                                                      .blocks = tested.memory(),
                                                      .sameLength = tested.sameLength || tested.sameLengthEval,
                                                      .lastLayer = tested.lastLayer});
    const auto expected = reference.run(text);
    const auto trace = model->trace(model->tokensFromIds(text), {.logits = true});
    for (std::size_t t = 0; t < text.size(); ++t)
        for (std::size_t word = 0; word < 40; ++word)
            ASSERT_NEAR(trace->logits[t * 40 + word], expected.logits[t][word], 1e-4) << "token " << t;
    for (std::size_t l = 0; l < trace->attention.size(); ++l)
        for (const auto& map : core::mapsOf(*trace->attention[l])) {
            const auto whole = core::wholeMap(*trace, map);
            for (std::size_t i = 0; i < text.size(); ++i)
                for (std::size_t j = 0; j < text.size(); ++j)
                    ASSERT_NEAR(whole.values[i * text.size() + j],
                                expected.maps[l][static_cast<std::size_t>(map.index)][i][j], 1e-4)
                        << i << "," << j;
        }
}

std::vector<EvaluationCase> evaluationCases()
{
    return {
        {.name = "training"},
        {.name = "test_context_blocks", .testBlocks = 4},
        {.name = "test_context_blocks_fewer", .blocks = 3, .testBlocks = 1},
        {.name = "test_context_blocks_without_training", .blocks = 0, .testBlocks = 2},
        {.name = "unroll_eval", .unrollEval = 5},
        {.name = "unroll_eval_longer", .unrollEval = 19},
        {.name = "unroll_eval_without_memory", .blocks = 0, .unrollEval = 5},
        {.name = "same_length", .sameLength = true},
        {.name = "same_length_eval", .sameLengthEval = true},
        {.name = "last_layer_context", .lastLayer = true},
        {.name = "test_context_blocks_same_length", .testBlocks = 3, .sameLength = true},
        {.name = "test_context_blocks_same_length_eval_unroll_eval",
         .unrollEval = 6,
         .testBlocks = 4,
         .sameLengthEval = true},
        {.name = "test_context_blocks_last_layer", .testBlocks = 3, .lastLayer = true},
        {.name = "everything",
         .unrollEval = 7,
         .testBlocks = 2,
         .sameLength = true,
         .sameLengthEval = true,
         .lastLayer = true},
        {.name = "memory_blocks_0", .testBlocks = 4, .wantedBlocks = 0},
        {.name = "memory_blocks_2", .testBlocks = 4, .wantedBlocks = 2},
        {.name = "memory_blocks_without_training", .blocks = 0, .wantedBlocks = 1},
        {.name = "segment_6", .unrollEval = 5, .wantedSegment = 6},
        {.name = "memory_blocks_and_segment", .sameLengthEval = true, .wantedBlocks = 4, .wantedSegment = 3},
        {.name = "memory_blocks_0_last_layer", .lastLayer = true, .wantedBlocks = 0},
    };
}

INSTANTIATE_TEST_SUITE_P(Keys, EvaluationMode, ::testing::ValuesIn(evaluationCases()),
                         [](const auto& tested) { return tested.param.name; });

class EvaluationModeOf : public EvaluationMode
{
};

TEST_F(EvaluationModeOf, TestContextBlocksOfZeroAreThoseOfTraining)
{
    auto file = plainCheckpoint(variantOf({.name = "", .blocks = 2}));
    for (const test::TorchArg& zero :
         std::vector<test::TorchArg>{std::int64_t{0}, std::string("0"), std::string("none"), std::monostate{}}) {
        set(file, "lm.trafo.test_context_blocks", zero);
        EXPECT_EQ(open(file)->info()->visibility.segmentsBack, 2);
    }
}

TEST_F(EvaluationModeOf, WhatCannotBeIsRefusedByName)
{
    const auto refused = [this](const std::string& key, test::TorchArg value) {
        auto file = plainCheckpoint(variantOf({.name = ""}));
        set(file, key, std::move(value));
        return refusal(file);
    };
    EXPECT_THAT(refused("lm.trafo.test_pos_clamp", std::int64_t{400}), HasSubstr("lm.trafo.test_pos_clamp is \"400\""));
    EXPECT_THAT(refused("lm.trafo.test_pos_clamp", std::string("64")), HasSubstr("lm.trafo.test_pos_clamp is \"64\""));
    EXPECT_EQ(refused("lm.trafo.test_pos_clamp", std::string("none")), "");
    EXPECT_THAT(refused("lm.trafo.test_context_blocks", std::int64_t{-1}), HasSubstr("-1 memory blocks"));
    EXPECT_THAT(refused("lm.unroll_eval", std::int64_t{0}), HasSubstr("lm.unroll_eval"));
    EXPECT_THAT(refused("lm.unroll_eval", std::string("1000000000000")), HasSubstr("not possible"));
    EXPECT_THAT(refused("lm.unroll_eval", std::string("long")), HasSubstr("lm.unroll_eval should be a number"));
    core::OpenOptions options;
    options.segment = 0;
    EXPECT_THAT(refusal(plainCheckpoint(variantOf({.name = ""})), options), HasSubstr("segments of 0 tokens"));
}

TEST_F(EvaluationModeOf, WhatIsChosenIsANoteAndTheRunsOwnIsNone)
{
    const auto file = plainCheckpoint(variantOf({.name = "", .testBlocks = 4}));
    const auto said = Contains(
        HasSubstr("Run with 1 memory block and segments of 8 tokens, as chosen; the run's own evaluation has 4 and 8."));
    core::OpenOptions options;
    options.memoryBlocks = 1;
    EXPECT_THAT(open(file, options)->info()->notes, said);
    const auto own = open(file);
    EXPECT_THAT(own->info()->notes, ::testing::Not(Contains(HasSubstr("memory blocks"))));
    options.memoryBlocks = 4; // its own
    EXPECT_EQ(open(file, options)->info()->notes, own->info()->notes);
}

/// Keys and values of a post-LN layer are normed wherever there is a memory, be it empty.
TEST_F(EvaluationModeOf, PostNormSourcesAreNormedWhereEvaluationHasMemory)
{
    const auto of = [](std::int64_t blocks, std::int64_t testBlocks) {
        auto v = variantOf({.name = "", .blocks = blocks, .testBlocks = testBlocks});
        v.preNorm = false;
        v.mixtureFeedForward = true;
        return plainCheckpoint(v);
    };
    const auto near = [](const std::vector<float>& a, const std::vector<float>& b, std::size_t values) {
        for (std::size_t i = 0; i < values; ++i)
            if (std::abs(a.at(i) - b.at(i)) > 1e-4F)
                return false;
        return true;
    };
    const std::size_t first = 8 * 40; // logits of the first segment, which has nothing to remember
    const auto remembering = logits(*open(of(1, 0)));
    const auto never = logits(*open(of(0, 0)));
    EXPECT_FALSE(near(remembering, never, first));
    EXPECT_TRUE(near(logits(*open(of(0, 1))), remembering, remembering.size()));
    core::OpenOptions options;
    options.memoryBlocks = 1;
    EXPECT_TRUE(near(logits(*open(of(0, 0), options)), remembering, remembering.size()));
    options.memoryBlocks = 0; // every segment is run as the first one, by the same function
    const auto without = logits(*open(of(1, 0), options));
    EXPECT_TRUE(near(without, remembering, first));
    EXPECT_FALSE(near(without, remembering, without.size()));
    EXPECT_TRUE(near(logits(*open(of(0, 0), options)), never, never.size()));
}

TEST_F(EvaluationModeOf, FamiliesWithoutMemoryRefuseIt)
{
    const auto fixture = [](const std::string& name) {
        return Fixture::read(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / name);
    };
    for (const char* name : {"moeut_clean", "switchhead_package", "switchhead_package_e1"}) {
        for (const bool blocks : {true, false}) {
            core::OpenOptions options;
            (blocks ? options.memoryBlocks : options.segment) = 1;
            try {
                fixture(name).open(options);
                ADD_FAILURE() << name;
            } catch (const core::Error& error) {
                EXPECT_THAT(error.what(), HasSubstr("neither segments nor memory"));
                EXPECT_THAT(error.what(), HasSubstr(blocks ? "--memory-blocks" : "--segment"));
            }
        }
    }
    core::OpenOptions options;
    options.segment = 16; // of the training code that can have memory, though this run had none
    EXPECT_EQ(fixture("moeut_aabb").open(options)->info()->visibility.segment, 16);
}

} // namespace
} // namespace headscope::tests
