// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons of models that are run: a copy with other numbers of experts, unrelated ones, noise on router weights, next
// tokens.
#include "core/compare/comparison.h"
#include "core/compare/next_token_divergence.h"
#include "core/families/model.h"
#include "core/trace/weight_view.h"
#include "tests/core/families/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>

namespace headscope::tests {
namespace {

using namespace core;
using testing::HasSubstr;

class ComparedModels : public ::testing::Test
{
protected:
    void SetUp() override
    {
        m_folder =
            std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::create_directories(m_folder);
    }
    void TearDown() override { std::filesystem::remove_all(m_folder); }

    std::shared_ptr<const Model> open(const test::TorchCheckpoint& checkpoint, const std::string& name)
    {
        test::writeTorchCheckpoint(m_folder / name, checkpoint);
        OpenOptions options;
        options.device = "cpu";
        return openModel(m_folder / name, options);
    }

    /// SwitchHead with routers for values and outputs.
    static Variant small()
    {
        Variant variant;
        variant.mixtures = "vo";
        variant.experts = 4;
        variant.chosen = 2;
        variant.unroll = 64;
        return variant;
    }

    std::filesystem::path m_folder;
};

/// Few types, some far more frequent than others.
std::vector<TokenId> someIds(std::int64_t count, std::int64_t vocabulary, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(static_cast<TokenId>(
            std::min(random() % static_cast<std::uint64_t>(vocabulary), random() % static_cast<std::uint64_t>(vocabulary))));
    return ids;
}

ComparedTraces traced(const Model& a, const Model& b, const std::vector<TokenId>& ids, const TraceOptions& options = {})
{
    return {a.trace(a.tokensFromIds(ids), options), b.trace(b.tokensFromIds(ids), options)};
}

/// The same weights with every value drawn anew.
test::TorchCheckpoint redrawn(test::TorchCheckpoint checkpoint, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> gaussian;
    for (auto& tensor : checkpoint.tensors) {
        const bool norm = tensor.name.find("norm") != std::string::npos || tensor.name.ends_with("bias");
        for (double& value : tensor.values)
            value = norm ? value : gaussian(random) * (tensor.name.find("embedding") != std::string::npos ? 1.0 : 0.3);
    }
    return checkpoint;
}

bool isRouter(const std::string& name)
{
    return name.find("selections.") != std::string::npos || name.find("sel_") != std::string::npos;
}

RouterRows rowsOf(const std::shared_ptr<const Model>& model)
{
    auto views = std::make_shared<std::map<RouterAddress, WeightView>>();
    return [model, views](const RouterAddress& address) {
        const auto found = views->try_emplace(address, weightViews(*model)->weightView(address)).first;
        return MatrixRows{found->second.routerRows, static_cast<std::size_t>(found->second.width)};
    };
}

TEST_F(ComparedModels, ACopyWithOtherNumbersIsRecognised)
{
    const Variant variant = small();
    const auto checkpoint = redrawn(plainCheckpoint(variant), 1);
    const auto a = open(checkpoint, "model-100.pth");
    const auto b = open(withPermutedExperts(checkpoint, variant), "model-200.pth");
    CompareSettings settings;
    settings.nullReplicates = 20;
    CompareExtras extras;
    extras.rowsA = rowsOf(a);
    extras.rowsB = rowsOf(b);
    for (const Matching matching : {Matching::Coselection, Matching::Weights}) {
        settings.matching = matching;
        const Comparison comparison = compareTraces(traced(*a, *b, someIds(400, variant.vocabulary, 3)), settings, extras);
        ASSERT_EQ(comparison.routers.size(), 8U); // 2 layers, 2 heads, v and o
        for (const RouterComparison& router : comparison.routers) {
            SCOPED_TRACE(router.a.toString());
            EXPECT_EQ(router.agreement, 1);
            EXPECT_FALSE(router.tooLittleText);
            EXPECT_EQ(router.a, router.b);
            EXPECT_EQ(router.expertOfB, comparison.routers.front().expertOfB); // permute() moves all alike
            EXPECT_NE(router.expertOfB.front(), 0);
            EXPECT_NEAR(router.gateCorrelation, 1, 1e-6);
        }
    }
    EXPECT_FALSE(compareTraces(traced(*a, *b, someIds(100, variant.vocabulary, 3)), {})
                     .crossFitted); // side by side, the same arguments
}

TEST_F(ComparedModels, UnrelatedWeightsAreInsideTheNull)
{
    Variant variant = small();
    variant.layers = 1;
    variant.heads = 1;
    const auto plain = plainCheckpoint(variant);
    CompareSettings settings;
    settings.matching = Matching::Coselection;
    settings.nullReplicates = 200;
    settings.bootstrapReplicates = 0;
    int inside = 0;
    double agreement = 0, null = 0;
    for (unsigned seed = 1; seed <= 100; ++seed) {
        const auto a = open(redrawn(plain, 2 * seed), "model-100.pth");
        const auto b = open(redrawn(plain, 2 * seed + 1), "model-200.pth");
        settings.seed = seed;
        TraceOptions routing;
        routing.maps = routing.routerLogits = routing.loss = false;
        const Comparison comparison =
            compareTraces(traced(*a, *b, someIds(300, variant.vocabulary, seed), routing), settings);
        const RouterComparison& router = comparison.routers.front();
        inside += router.null.low <= router.agreement && router.agreement <= router.null.high;
        agreement += router.agreement / 100;
        null += router.nullMean / 100;
    }
    EXPECT_GE(inside, 88);
    EXPECT_NEAR(agreement, null, 0.02);
}

TEST_F(ComparedModels, AgreementFallsWithNoiseOnRouterWeights)
{
    const Variant variant = small();
    const auto checkpoint = redrawn(plainCheckpoint(variant), 7);
    const auto a = open(checkpoint, "model-100.pth");
    CompareSettings settings;
    settings.matching = Matching::Coselection;
    settings.nullReplicates = settings.bootstrapReplicates = 0;
    TraceOptions routing;
    routing.maps = routing.routerLogits = routing.loss = false;
    double before = 1.001;
    for (const double noise : {0.0, 0.05, 0.15, 0.5}) {
        double mean = 0;
        for (unsigned seed = 0; seed < 20; ++seed) {
            auto disturbed = checkpoint;
            std::mt19937 random(seed);
            std::normal_distribution<double> gaussian(0, noise > 0 ? noise : 1);
            for (auto& tensor : disturbed.tensors)
                if (noise > 0 && isRouter(tensor.name))
                    for (double& value : tensor.values)
                        value += gaussian(random);
            const auto b = open(disturbed, "model-200.pth");
            mean += compareTraces(traced(*a, *b, someIds(300, variant.vocabulary, 5), routing), settings).agreement / 20;
        }
        EXPECT_LT(mean, before) << "noise " << noise;
        before = mean;
    }
}

/// KL(A‖B) from whole logits.
std::vector<double> expectedDivergence(const Trace& a, const Trace& b)
{
    const auto vocabulary = static_cast<std::size_t>(a.model->vocabulary);
    const auto logProbabilities = [vocabulary](const Trace& trace, std::size_t row) {
        std::vector<double> result(trace.logits.begin() + static_cast<std::ptrdiff_t>(row * vocabulary),
                                   trace.logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * vocabulary));
        double sum = 0;
        for (const double logit : result)
            sum += std::exp(logit);
        for (double& logit : result)
            logit -= std::log(sum);
        return result;
    };
    std::vector<double> result;
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.tokens()); ++row) {
        const auto p = logProbabilities(a, row);
        const auto q = logProbabilities(b, row);
        double sum = 0;
        for (std::size_t id = 0; id < vocabulary; ++id)
            sum += std::exp(p[id]) * (p[id] - q[id]);
        result.push_back(sum);
    }
    return result;
}

TEST_F(ComparedModels, NextTokensDivergeAsTheirLogitsSay)
{
    Variant adapters = small();
    adapters.embeddingWidth = 8;
    for (const Variant& variant : {small(), adapters}) {
        const auto plain = plainCheckpoint(variant);
        const auto a = open(redrawn(plain, 1), "model-100.pth");
        const auto b = open(redrawn(plain, 2), "model-200.pth");
        TraceOptions options;
        options.logits = options.lastLayer = true;
        const auto both = traced(*a, *b, someIds(130, variant.vocabulary, 1), options); // more than are computed at once
        const TracedHead headA{*nextTokenHead(*a), *both.a};
        const TracedHead headB{*nextTokenHead(*b), *both.b};
        const auto divergence = nextTokenDivergence(headA, headB);
        const auto expected = expectedDivergence(*both.a, *both.b);
        ASSERT_EQ(divergence.size(), expected.size());
        double largest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(divergence[i], expected[i], 1e-4);
            largest = std::max(largest, expected[i]);
        }
        EXPECT_GT(largest, 0.01);
        for (const float value : nextTokenDivergence(headA, headA))
            EXPECT_EQ(value, 0);
        EXPECT_TRUE(sameVocabulary(*a, *b));
    }
}

TEST_F(ComparedModels, NextTokensNeedTheLastLayerAndOneVocabulary)
{
    const Variant variant = small();
    Variant other = variant;
    other.vocabulary = 50;
    const auto a = open(plainCheckpoint(variant), "model-100.pth");
    const auto b = open(plainCheckpoint(other), "model-200.pth");
    TraceOptions options;
    options.lastLayer = true;
    const auto ids = someIds(20, 40, 1);
    const auto with = traced(*a, *b, ids, options);
    const auto without = traced(*a, *b, ids);
    EXPECT_FALSE(sameVocabulary(*a, *b));
    const auto message = [&](const Trace& first, const Trace& second) {
        try {
            nextTokenDivergence({*nextTokenHead(*a), first}, {*nextTokenHead(*b), second});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(message(*with.a, *without.b), HasSubstr("did not keep the last layer"));
    EXPECT_THAT(message(*with.a, *with.b), HasSubstr("different sizes"));
    const auto changed = b->trace(b->tokensFromIds(someIds(20, 40, 2)), options);
    EXPECT_THAT(message(*with.a, *changed), HasSubstr("different tokens"));
}

} // namespace
} // namespace headscope::tests
