// SPDX-License-Identifier: GPL-3.0-or-later
// Twenty configurations of the moe_attention training code, written as it writes them and read back: what must hold for each.
#include "tests/core/families/trace_checks.h"
#include "tests/core/families/variants.h"

#include "core/attention/maps.h"
#include "core/checkpoint/checkpoint.h"
#include "core/export/trace_safetensors.h"
#include "core/families/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace headscope::tests {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

class Variants : public ::testing::TestWithParam<Variant>
{
protected:
    void SetUp() override
    {
        folder = std::filesystem::path(::testing::TempDir()) / ("variant_" + GetParam().name());
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        model = open(disguised(plainCheckpoint(GetParam()), GetParam()));
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::shared_ptr<const core::Model> open(const test::TorchCheckpoint& file) const
    {
        test::writeTorchCheckpoint(folder / "model-100.pth", file);
        core::OpenOptions options;
        options.device = "cpu";
        return core::openModel(folder / "model-100.pth", options);
    }
    std::vector<core::TokenId> ids(std::int64_t tokens = 45) const
    {
        std::vector<core::TokenId> result;
        for (std::int64_t i = 0; i < tokens; ++i)
            result.push_back(static_cast<core::TokenId>((i * 7919 + i * i + 13) % GetParam().vocabulary));
        return result;
    }
    static std::shared_ptr<const core::Trace> trace(const core::Model& model, const std::vector<core::TokenId>& ids)
    {
        return model.trace(model.tokensFromIds(ids), {.logits = true, .predictions = 2});
    }

    std::filesystem::path folder;
    std::shared_ptr<const core::Model> model;
};

TEST_P(Variants, ReadsTheSameHoweverItIsWritten)
{
    const auto& v = GetParam();
    const auto plain = open(plainCheckpoint(v));
    EXPECT_THAT(trace(*model, ids())->logits, Pointwise(FloatNear(1e-6F), trace(*plain, ids())->logits));
    const auto& info = *model->info();
    EXPECT_EQ(info.family, "moe_attention");
    EXPECT_EQ(info.layers, v.layers);
    EXPECT_EQ(info.norm, v.preNorm ? "pre-LN" : "post-LN");
    EXPECT_EQ(info.visibility.segment, v.evaluationUnroll > 0 ? v.evaluationUnroll : v.unroll);
    EXPECT_EQ(info.visibility.segmentsBack, v.evaluationBlocks > 0 ? v.evaluationBlocks : v.blocks);
    EXPECT_EQ(info.visibility.sameLength, v.sameLength);
    auto routers = static_cast<std::int64_t>(v.mixtures.size()) * v.heads;
    routers += (v.attention == Variant::Attention::Slots ? 1 : 0) + (v.mixtureFeedForward ? 1 : 0);
    EXPECT_EQ(static_cast<std::int64_t>(info.routers.size()), routers * v.layers);
}

TEST_P(Variants, AttentionRowsSumToOneAndTilesEqualTheWholeMap)
{
    const auto all = trace(*model, ids());
    expectRowsSumToOne(*all);
    expectTilesEqualWholeMaps(*all);
}

TEST_P(Variants, LossAndGatesFollowFromLogits)
{
    const auto all = trace(*model, ids());
    expectLossFollowsFromLogits(*all);
    expectGatesFollowFromLogits(*all);
}

TEST_P(Variants, ALaterTokenChangesNothingBefore)
{
    const auto before = trace(*model, ids());
    for (const std::size_t place : {1U, 12U, 30U, 44U}) {
        auto changed = ids();
        changed[place] = static_cast<core::TokenId>((changed[place] + 1) % GetParam().vocabulary);
        const auto after = trace(*model, changed);
        const auto values = place * static_cast<std::size_t>(GetParam().vocabulary);
        for (std::size_t i = 0; i < values; ++i)
            ASSERT_NEAR(before->logits[i], after->logits[i], 1e-5) << "changed at " << place;
        bool differs = false;
        for (std::size_t i = values; i < before->logits.size(); ++i)
            differs = differs || std::abs(before->logits[i] - after->logits[i]) > 1e-4F;
        EXPECT_TRUE(differs);
    }
}

TEST_P(Variants, TheOrderOfExpertsDoesNotMatter)
{
    const auto permuted = open(withPermutedExperts(plainCheckpoint(GetParam()), GetParam()));
    const auto a = trace(*model, ids());
    const auto b = trace(*permuted, ids());
    EXPECT_THAT(a->logits, Pointwise(FloatNear(1e-4F), b->logits));
    for (std::size_t s = 0; s < a->sites.size(); ++s)
        EXPECT_THAT(a->sites[s]->gates, Pointwise(FloatNear(1e-4F), b->sites[s]->gates));
}

TEST_P(Variants, AllExpertsChosenEqualTheDenseModel)
{
    const auto all = choosingAll(GetParam());
    const auto mixture = open(withSilentRouters(plainCheckpoint(all)));
    const auto mixed = trace(*mixture, ids());
    const auto gate = [&mixed](std::int64_t layer, const std::string& site) -> double {
        for (const auto& routing : mixed->sites)
            if (routing->router.address.depth == layer && core::toString(routing->router.address.site) == site)
                return routing->gates.front();
        ADD_FAILURE() << "no site " << site;
        return 0;
    };
    const auto dense = open(denseTwin(all, gate));
    EXPECT_TRUE(dense->info()->routers.empty());
    EXPECT_THAT(mixed->logits, Pointwise(FloatNear(1e-4F), trace(*dense, ids())->logits));
}

TEST_P(Variants, AKnownBeginningEqualsTheWholeRun)
{
    std::mt19937 random(static_cast<std::uint32_t>(GetParam().index));
    auto text = ids();
    auto previous = trace(*model, text);
    for (int edit = 0; edit < 25; ++edit) {
        text = edited(std::move(text), GetParam().vocabulary, random);
        core::TraceOptions options{.logits = true, .predictions = 2};
        options.prefix = previous;
        previous = model->trace(model->tokensFromIds(text), options);
        expectSame(*trace(*model, text), *previous);
        if (HasFatalFailure())
            FAIL() << "after edit " << edit << " with " << text.size() << " tokens";
    }
}

TEST_P(Variants, ATraceFileHoldsWhatTheTraceHolds)
{
    const auto all = trace(*model, ids(20));
    core::TraceExport what;
    what.program = "test";
    for (const auto& block : all->attention)
        what.maps.push_back(block->address);
    core::writeTraceFile(folder / "trace.safetensors", *all, what);
    const auto file = core::openCheckpoint(folder / "trace.safetensors");
    const auto floats = [&file](const std::string& name) {
        const auto* tensor = file.find(name);
        EXPECT_NE(tensor, nullptr) << name;
        return tensor ? tensor->readFloats() : std::vector<float>();
    };
    EXPECT_EQ(floats("logits"), all->logits);
    for (const auto& site : all->sites) {
        const auto name = site->router.address.toString();
        EXPECT_EQ(floats(name + ".logits"), site->logits);
        EXPECT_EQ(floats(name + ".gates"), site->gates);
        EXPECT_EQ(floats(name + ".experts"), std::vector<float>(site->experts.begin(), site->experts.end()));
    }
    for (const auto& block : all->attention) {
        const auto written = floats(block->address.toString() + ".attention");
        std::vector<float> maps;
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(*all, map);
            maps.insert(maps.end(), whole.values.begin(), whole.values.end());
        }
        EXPECT_EQ(written, maps);
    }
}

INSTANTIATE_TEST_SUITE_P(Generated, Variants, ::testing::ValuesIn(variants()), [](const auto& tested) { return tested.param.name(); });

} // namespace

/// What GoogleTest prints of a parameter.
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name(); }

} // namespace headscope::tests
