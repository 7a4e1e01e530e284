// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/info_text.h"

#include <gmock/gmock.h>

#include <sstream>

namespace headscope::app {
namespace {

using namespace core;
using ::testing::HasSubstr;
using ::testing::Not;

std::string printed(const ModelInfo& info)
{
    std::ostringstream out;
    printInfo(out, info);
    return out.str();
}

Router router(int depth, Site site, std::optional<int> head)
{
    Router router;
    router.address.depth = depth;
    router.address.block = site == Site::Mlp ? Block::Ffn : Block::Self;
    router.address.site = site;
    router.address.head = head;
    router.experts = 5;
    router.chosen = 2;
    return router;
}

TEST(InfoText, GroupsRoutersThatDifferOnlyInLayerAndHead)
{
    ModelInfo info;
    info.path = "run/model.pth";
    info.variant = "SwitchAll";
    for (int depth = 0; depth < 16; ++depth) {
        for (int head = 0; head < 10; ++head)
            info.routers.push_back(router(depth, Site::V, head));
        if (depth >= 12)
            info.routers.push_back(router(depth, Site::Mlp, {}));
    }
    const std::string text = printed(info);
    EXPECT_THAT(text, HasSubstr("model.pth: SwitchAll"));
    EXPECT_THAT(text, Not(HasSubstr("run/")));
    EXPECT_THAT(text, HasSubstr("layers.0–15.self.v    10 heads"));
    EXPECT_THAT(text, HasSubstr("layers.12–15.ffn.mlp"));
    EXPECT_THAT(text, HasSubstr("Routers: 164"));
}

TEST(InfoText, SaysThatADenseModelHasNoRouters)
{
    ModelInfo info;
    info.parameters = 1234567;
    const std::string text = printed(info);
    EXPECT_THAT(text, HasSubstr("none, this model is dense"));
    EXPECT_THAT(text, HasSubstr("1,234,567"));
}

TEST(InfoText, EscapesWhatTheFileSays)
{
    ModelInfo info;
    info.settings = {{"a\x1b[31m", "b\nc", "args"}};
    EXPECT_THAT(printed(info), HasSubstr("a\\x1b[31m  b\\nc  from args"));
}

} // namespace
} // namespace headscope::app
