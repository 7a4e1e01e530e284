// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/router.h"

#include <gtest/gtest.h>

namespace headscope::core {
namespace {

TEST(RouterAddress, ReadsWhatItWrites)
{
    for (const auto* text : {"layers.0.self.v", "layers.12.self.o.h3", "encoder.layers.1.self.qo", "decoder.layers.5.cross.qo", "layers.2.ffn.mlp",
                             "layers.0.self.head", "layers.0.self.q.h0", "layers.0.self.k.h10"}) {
        const auto address = RouterAddress::parse(text);
        ASSERT_TRUE(address) << text;
        EXPECT_EQ(address->toString(), text);
    }
}

TEST(RouterAddress, RefusesWhatIsNone)
{
    for (const auto* text : {"", "layers", "layers.0", "layers.0.self", "layers.-1.self.v", "layers.01.self.v", "layers.x.self.v", "layers.0.other.v",
                             "layers.0.self.z", "layers.0.self.v.3", "layers.0.self.v.h", "layers.0.self.v.h1.h2", "stack.layers.0.self.v",
                             "layers.99999999999.self.v", "layers.0.self.v ", "layers.0..v"})
        EXPECT_FALSE(RouterAddress::parse(text)) << text;
}

TEST(MapAddress, ReadsWhatItWrites)
{
    for (const auto* text : {"layers.0.self", "encoder.layers.3.self", "decoder.layers.3.cross"})
        EXPECT_EQ(MapAddress::parse(text).value().toString(), text);
    EXPECT_FALSE(MapAddress::parse("layers.0.self.v"));
}

TEST(SiteRouting, FindsItsRouters)
{
    SiteRouting site;
    site.router.address = *RouterAddress::parse("layers.1.self.v");
    site.heads = 2;
    site.perHead = true;
    EXPECT_EQ(site.address(1).toString(), "layers.1.self.v.h1");
    EXPECT_EQ(site.headOf(*RouterAddress::parse("layers.1.self.v.h1")), 1);
    EXPECT_EQ(site.headOf(*RouterAddress::parse("layers.1.self.v")), 0);
    EXPECT_EQ(site.headOf(*RouterAddress::parse("layers.1.self.v.h2")), -1);
    EXPECT_EQ(site.headOf(*RouterAddress::parse("layers.0.self.v.h1")), -1);
}

TEST(Router, SaysWhatItDoes)
{
    Router router;
    router.experts = 5;
    router.chosen = 2;
    router.side = Side::Source;
    EXPECT_NE(router.legend().find("2 of 5 experts"), std::string::npos);
    EXPECT_NE(router.legend().find("does not sum to 1"), std::string::npos);
    EXPECT_NE(router.legend().find("source"), std::string::npos);
}

} // namespace
} // namespace headscope::core
