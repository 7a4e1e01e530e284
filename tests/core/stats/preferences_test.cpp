// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/preferences.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace headscope::core {
namespace {

TEST(Preferences, ScoresByHand)
{
    const std::array<float, 4> router{1, 0, 0, 2};               // two experts
    const std::array<float, 6> embedding{3, 1, -1, 4, 0.5F, 0.5F}; // three tokens
    const std::vector<float> scores = embeddingScores({router, 2}, {embedding, 2}, {});
    EXPECT_EQ(scores, (std::vector<float>{3, 2, -1, 8, 0.5F, 1}));
    const auto lists = preferences(scores, 2, 2);
    ASSERT_EQ(lists.size(), 2U);
    EXPECT_EQ(lists[0][0].token, 0U); // 3 - 2.5
    EXPECT_EQ(lists[0][0].contrast, 0.5F);
    EXPECT_EQ(lists[0][1].token, 2U);
    EXPECT_EQ(lists[1][0].token, 1U);
    EXPECT_EQ(lists[1][0].score, 8);
    EXPECT_EQ(lists[1].size(), 2U);
}

TEST(Preferences, NormsOfTheInput)
{
    const std::array<float, 2> router{1, 0};
    const std::array<float, 2> embedding{3, 1};
    const std::array<float, 2> gain{2, 1}, bias{0.5F, 0};
    const auto score = [&](const InputNorm& norm) { return embeddingScores({router, 2}, {embedding, 2}, norm).front(); };
    EXPECT_NEAR(score({.kind = InputNorm::Kind::Layer, .epsilon = 0, .gain = {}, .bias = {}}), 1, 1e-6); // (3 - 2)/1
    EXPECT_NEAR(score({.kind = InputNorm::Kind::Layer, .epsilon = 0, .gain = gain, .bias = bias}), 2.5, 1e-6);
    EXPECT_NEAR(score({.kind = InputNorm::Kind::Rms, .epsilon = 0, .gain = {}, .bias = {}}), 3 / std::sqrt(5.0), 1e-6);
    EXPECT_THROW(embeddingScores({router, 2}, {embedding, 1}, {}), std::invalid_argument);
}

TEST(Preferences, Cosines)
{
    const std::array<float, 8> rows{1, 0, 0, 2, 1, 1, 0, 0};
    const std::vector<float> cosines = cosineSimilarities({rows, 2});
    EXPECT_NEAR(cosines[0], 1, 1e-6);
    EXPECT_NEAR(cosines[1], 0, 1e-6);
    EXPECT_NEAR(cosines[2], std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(cosines[4 * 2 + 1], std::sqrt(0.5), 1e-6);
    EXPECT_TRUE(std::isnan(cosines[3]));
    EXPECT_TRUE(std::isnan(cosines[15]));
}

} // namespace
} // namespace headscope::core
