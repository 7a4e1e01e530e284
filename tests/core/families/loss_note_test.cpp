// SPDX-License-Identifier: GPL-3.0-or-later
// A mean loss above that of a uniform guess is said, wherever a text is traced.
#include "core/compare/comparison.h"
#include "core/export/trace_json.h"
#include "core/families/model.h"
#include "core/trace/loss_note.h"
#include "core/trace/model_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <sstream>

namespace headscope::tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

core::Trace withLosses(std::vector<float> losses, std::int64_t vocabulary)
{
    core::ModelInfo info;
    info.vocabulary = vocabulary;
    core::Trace trace;
    trace.model = std::make_shared<const core::ModelInfo>(info);
    trace.loss = std::move(losses);
    trace.loss.insert(trace.loss.begin(), std::numeric_limits<float>::quiet_NaN());
    return trace;
}

TEST(FaultB11, AMeanLossClearlyAboveUniformIsSaid)
{
    std::mt19937 random(5);
    std::normal_distribution<float> spread(0, 2.5F);
    const auto losses = [&](float mean, std::size_t tokens) {
        std::vector<float> all(tokens);
        for (float& loss : all)
            loss = mean + spread(random);
        return all;
    };
    EXPECT_THAT(core::lossNote(withLosses(losses(10.0F, 60), 4000)).value_or(""),
                HasSubstr("above the 8.29 of a uniform guess among 4000 tokens"));
    EXPECT_FALSE(core::lossNote(withLosses(losses(4.5F, 60), 4000)));
    EXPECT_FALSE(core::lossNote(withLosses(losses(8.0F, 400), 4000)));
    EXPECT_TRUE(core::lossNote(withLosses(losses(7.0F, 60), 192)));
    EXPECT_FALSE(core::lossNote(withLosses(losses(7.0F, 60), 4000)));
    EXPECT_FALSE(core::lossNote(withLosses({12, 13, 14}, 4000))); // too few to say
    EXPECT_FALSE(core::lossNote(withLosses({}, 4000)));
    EXPECT_FALSE(core::lossNote(withLosses({8.3F, 8.32F, 8.28F, 8.31F, 8.3F}, 4000))); // untrained
    core::Trace notAsked = withLosses({}, 4000);
    notAsked.loss.clear();
    EXPECT_FALSE(core::lossNote(notAsked));
}

std::shared_ptr<const core::Model> demo(const std::string& name, const std::filesystem::path& tokenizer)
{
    core::OpenOptions options;
    options.device = "cpu";
    options.tokenizer = tokenizer;
    return core::openModel(std::filesystem::path(HEADSCOPE_RESOURCES) / "demo" / name / "model-1400.pth", options);
}

TEST(FaultB11, AWrongTokenizerOfTheSameSizeIsNoticed)
{
    const std::string text = "The river runs quietly past the old mill, and in the evening people come to sit beside the "
                             "water and talk about the day.";
    const auto model = demo("switchhead", std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    const auto right = model->trace(model->tokenize(text), {});
    EXPECT_FALSE(core::lossNote(*right));
    auto ids = model->tokenize(text).ids(); // as if the vocabulary were in another order
    for (core::TokenId& id : ids)
        id = static_cast<core::TokenId>((id * 7 + 13) % 4000);
    const auto wrong = model->trace(model->tokensFromIds(ids), {});
    ASSERT_TRUE(core::lossNote(*wrong));
    std::ostringstream out;
    core::writeTraceJson(out, *wrong, {});
    EXPECT_THAT(out.str(), HasSubstr("uniform guess"));
    std::ostringstream other;
    core::writeTraceJson(other, *right, {});
    EXPECT_THAT(other.str(), ::testing::Not(HasSubstr("uniform guess")));
}

TEST(FaultB11, ComparisonsSayOfWhich)
{
    const auto tokenizer = std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model";
    const auto trained = demo("switchhead", tokenizer);
    const std::string text =
        "The river runs quietly past the old mill, and in the evening people come to sit beside the water and talk.";
    auto a = trained->trace(trained->tokenize(text), {});
    auto guessing = std::make_shared<core::Trace>(*a);
    for (float& loss : guessing->loss)
        loss += 8;
    core::CompareSettings settings;
    settings.nullReplicates = settings.bootstrapReplicates = 0;
    const auto comparison = core::compareTraces({a, guessing}, settings);
    EXPECT_THAT(comparison.notes, Contains(HasSubstr("B: The mean loss of this text is")));
    EXPECT_THAT(comparison.notes, ::testing::Not(Contains(HasSubstr("A: The mean loss"))));
}

} // namespace
} // namespace headscope::tests
