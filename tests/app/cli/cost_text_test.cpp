// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cost_text.h"

#include <gmock/gmock.h>

namespace headscope::app {
namespace {

TEST(CostText, SaysNumbersAsPeopleDo)
{
    EXPECT_EQ(tokensText(0), "0 tokens");
    EXPECT_EQ(tokensText(1), "1 token");
    EXPECT_EQ(tokensText(999), "999 tokens");
    EXPECT_EQ(tokensText(1234567), "1,234,567 tokens");
    EXPECT_EQ(costText(0.2, 1000), "less than a second and less than 1 MB");
    EXPECT_EQ(costText(9.4, 80'400'000), "about 9 s and 80 MB");
    EXPECT_EQ(costText(119, 1'240'000'000), "about 119 s and 1.2 GB");
    EXPECT_EQ(costText(600, 0), "about 10 min and less than 1 MB");
    EXPECT_EQ(costText(3 * 3600, 0), "about 3 h and less than 1 MB");
    EXPECT_EQ(costText(3 * 86400, 0), "about 3 days and less than 1 MB");
}

core::ModelInfo model()
{
    core::ModelInfo info;
    info.device = "cpu";
    info.vocabulary = 1000;
    info.width = 64;
    info.layerProducts = 1'000'000;
    info.headProducts = 64'000;
    core::MapGroup group;
    group.maps = group.keyHeads = 4;
    group.width = group.valueWidth = 16;
    info.maps = {group, group};
    return info;
}

TEST(CostText, OnlyLongRunsAreAnnounced)
{
    EXPECT_FALSE(longRunNote(model(), {}, 0));
    EXPECT_FALSE(longRunNote(model(), {}, 2000));
    const auto note = longRunNote(model(), {}, 3'000'000);
    ASSERT_TRUE(note);
    EXPECT_THAT(*note, testing::StartsWith("3,000,000 tokens: about "));
    EXPECT_THAT(*note, testing::EndsWith(" GB."));
}

TEST(CostText, LargeRunsAreAnnouncedToo)
{
    core::ModelInfo quick = model();
    quick.layerProducts = quick.headProducts = 0;
    quick.maps.clear();
    core::TraceOptions options;
    EXPECT_FALSE(longRunNote(quick, options, 400'000));
    options.logits = true; // [tokens, vocabulary]
    EXPECT_TRUE(longRunNote(quick, options, 400'000));
}

} // namespace
} // namespace headscope::app
