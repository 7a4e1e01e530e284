// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/preferences.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace headscope::core {
namespace {

TEST(Preferences, ByContrast)
{
    const std::vector<float> scores{3, 2, -1, 8, 0.5F, 1}; // three tokens, two experts
    const auto lists = preferences(scores, 2, 2);
    ASSERT_EQ(lists.size(), 2U);
    EXPECT_EQ(lists[0][0].token, 0U); // 3 - 2.5
    EXPECT_EQ(lists[0][0].contrast, 0.5F);
    EXPECT_EQ(lists[0][1].token, 2U);
    EXPECT_EQ(lists[1][0].token, 1U);
    EXPECT_EQ(lists[1][0].score, 8);
    EXPECT_EQ(lists[1].size(), 2U);
    EXPECT_TRUE(preferences({}, 2, 3)[0].empty());
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
