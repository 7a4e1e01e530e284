// SPDX-License-Identifier: GPL-3.0-or-later
// Which routers of two models are held against each other, and what is said of those left over.
#include "core/compare/pairing.h"

#include "core/compare/default_matching.h"
#include "core/error.h"
#include "tests/core/compare/sample_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headscope::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RouterAddress address(const std::string& text)
{
    return *RouterAddress::parse(text);
}

RoutedSite site(const std::string& text, int heads = 0)
{
    RoutedSite result{address(text), {}, heads > 0, 0, std::nullopt};
    for (int head = 0; head < std::max(heads, 1); ++head)
        result.heads.push_back(head);
    return result;
}

/// "a [heads] = b [heads]"
std::vector<std::string> shown(const Pairing& pairing, const RoutedModel& a, const RoutedModel& b)
{
    const auto side = [](const RoutedSite& one, const std::vector<int>& heads) {
        std::string text = one.address.toString();
        for (const int head : heads)
            text += " " + std::to_string(head);
        return text;
    };
    std::vector<std::string> result;
    for (const SitePair& pair : pairing.pairs)
        result.push_back(side(a.sites[pair.siteA], pair.headsA) + " = " + side(b.sites[pair.siteB], pair.headsB));
    return result;
}

std::vector<std::string> shown(const std::vector<UnpairedRouter>& routers)
{
    std::vector<std::string> result;
    for (const UnpairedRouter& one : routers)
        result.push_back(one.address.toString() + ": " + one.why);
    return result;
}

TEST(PairLayers, ByRelativeDepth)
{
    EXPECT_THAT(pairLayers(4, 4), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(pairLayers(2, 4),
                ElementsAre(0, 2)); // 1/4 lies between 1/8 and 3/8, 3/4 between 5/8 and 7/8: the first of both
    EXPECT_THAT(pairLayers(1, 3), ElementsAre(1));
    EXPECT_THAT(pairLayers(2, 6), ElementsAre(1, 4));
    EXPECT_THAT(pairLayers(3, 4), ElementsAre(0, 1, 3));
    EXPECT_THAT(pairLayers(0, 3), IsEmpty());
    EXPECT_THAT(pairLayers(2, 0), ElementsAre(-1, -1));
    EXPECT_THAT(pairLayers(6, 2), ElementsAre(-1, 0, -1, -1, 1, -1));
    for (int a = 1; a <= 12; ++a)
        for (int b = a; b <= 16; ++b) {
            const auto layers = pairLayers(a, b);
            for (std::size_t layer = 0; layer < layers.size(); ++layer) {
                EXPECT_GE(layers[layer], 0);
                EXPECT_LT(layers[layer], b);
                if (layer > 0) {
                    EXPECT_GT(layers[layer], layers[layer - 1]);
                }
            }
            const auto back = pairLayers(b, a);
            for (std::size_t layer = 0; layer < layers.size(); ++layer)
                EXPECT_EQ(back[static_cast<std::size_t>(layers[layer])], static_cast<int>(layer));
        }
}

TEST(PairRouters, EqualSitesOfPairedLayers)
{
    const RoutedModel a{
        {site("layers.0.self.v", 2), site("layers.0.self.o", 2), site("layers.1.self.v", 2), site("layers.1.ffn.mlp")}, 2};
    const RoutedModel b{
        {site("layers.1.self.v", 3), site("layers.1.ffn.mlp"), site("layers.3.self.v", 2), site("layers.4.self.v", 2)}, 6};
    const auto pairing = pairRouters(a, b, {});
    EXPECT_THAT(shown(pairing, a, b),
                ElementsAre("layers.0.self.v 0 1 = layers.1.self.v 0 1 2", "layers.1.self.v 0 1 = layers.4.self.v 0 1"));
    EXPECT_THAT(shown(pairing.onlyA), ElementsAre("layers.0.self.o.h0: B does not route o in its layer 1.",
                                                  "layers.0.self.o.h1: B does not route o in its layer 1.",
                                                  "layers.1.ffn.mlp: B does not route mlp in its layer 4."));
    EXPECT_THAT(shown(pairing.onlyB), ElementsAre("layers.1.ffn.mlp: A does not route mlp in its layer 0.",
                                                  "layers.3.self.v.h0: A has no layer at this relative depth.",
                                                  "layers.3.self.v.h1: A has no layer at this relative depth."));
    EXPECT_THAT(shown(pairRouters(a, {{}, 2}, {}).onlyA), testing::Each(HasSubstr("B has no routers")));
}

TEST(PairRouters, AQoWithEveryO)
{
    const RoutedModel moa{{site("layers.0.self.qo")}, 1};
    const RoutedModel switchHead{{site("layers.0.self.v", 2), site("layers.0.self.o", 2)}, 1};
    EXPECT_THAT(shown(pairRouters(moa, switchHead, {}), moa, switchHead),
                ElementsAre("layers.0.self.qo 0 = layers.0.self.o 0", "layers.0.self.qo 0 = layers.0.self.o 1"));
    EXPECT_THAT(shown(pairRouters(switchHead, moa, {}), switchHead, moa),
                ElementsAre("layers.0.self.o 0 = layers.0.self.qo 0", "layers.0.self.o 1 = layers.0.self.qo 0"));
    EXPECT_EQ(pairRouters(switchHead, moa, {}).onlyA.size(), 2U);
    EXPECT_THAT(shown(pairRouters(moa, moa, {}), moa, moa), ElementsAre("layers.0.self.qo 0 = layers.0.self.qo 0"));
}

TEST(PairRouters, DecisionsOfAnotherRouterCountOnce)
{
    auto shared = site("layers.0.self.v", 2);
    shared.sharedWith = address("layers.0.self.o.h0");
    const RoutedModel a{{shared, site("layers.0.self.o", 2)}, 1};
    const RoutedModel b{{site("layers.0.self.v", 2), site("layers.0.self.o", 2)}, 1};
    const auto pairing = pairRouters(a, b, {});
    EXPECT_THAT(shown(pairing, a, b), ElementsAre("layers.0.self.o 0 1 = layers.0.self.o 0 1"));
    EXPECT_THAT(pairing.onlyA, IsEmpty());
    EXPECT_EQ(pairing.onlyB.size(), 2U);
    EXPECT_THAT(pairing.onlyB.front().why, HasSubstr("layers.0.self.v of A uses the decision of layers.0.self.o"));
}

TEST(PairRouters, ByHandComesFirst)
{
    const RoutedModel a{{site("layers.0.self.v", 2), site("layers.1.self.v", 2)}, 2};
    const RoutedModel b{{site("layers.0.self.v", 2), site("layers.1.self.v", 2)}, 2};
    const std::vector<std::pair<RouterAddress, RouterAddress>> heads{
        {address("layers.0.self.v.h0"), address("layers.1.self.v.h1")}};
    EXPECT_THAT(shown(pairRouters(a, b, heads), a, b),
                ElementsAre("layers.0.self.v 0 = layers.1.self.v 1", "layers.0.self.v 1 = layers.0.self.v 0 1",
                            "layers.1.self.v 0 1 = layers.1.self.v 0"));
    const std::vector<std::pair<RouterAddress, RouterAddress>> sites{
        {address("layers.0.self.v"), address("layers.1.self.v")}};
    const auto pairing = pairRouters(a, b, sites);
    EXPECT_THAT(shown(pairing, a, b), ElementsAre("layers.0.self.v 0 1 = layers.1.self.v 0 1"));
    EXPECT_THAT(shown(pairing.onlyA), testing::Each(HasSubstr("layers.1.self.v of B was paired with another router")));
    EXPECT_EQ(pairing.onlyB.size(), 2U);
    for (const char* wrong : {"layers.2.self.v", "layers.0.self.v.h2", "layers.0.self.o"}) {
        const std::vector<std::pair<RouterAddress, RouterAddress>> none{{address(wrong), address("layers.0.self.v")}};
        EXPECT_THROW(pairRouters(a, b, none), Error) << wrong;
    }
}

TEST(DefaultMatching, IdentityWithinOneRunOnly)
{
    const auto choice = [](const ModelInfo& a, const ModelInfo& b) { return defaultMatching(a, b); };
    const ModelInfo first = *samples::sampleModel(2, "run/checkpoint/model-400.pth");
    ModelInfo other = *samples::sampleModel(2, "run/checkpoint/model-1400.pth");
    EXPECT_EQ(choice(first, other).matching, Matching::Identity);
    EXPECT_EQ(choice(first, first).matching, Matching::Identity);
    EXPECT_THAT(choice(first, other).why, HasSubstr("side by side"));
    for (const char* path : {"other/checkpoint/model-1400.pth", "run/checkpoint/best.pth", "run/model-1400.pth"}) {
        other.path = path;
        EXPECT_EQ(choice(first, other).matching, Matching::Coselection) << path;
        EXPECT_THAT(choice(first, other).why, HasSubstr("may be two runs"));
    }
    other.path = "run/elsewhere/../checkpoint/model-1400.pth";
    EXPECT_EQ(choice(first, other).matching, Matching::Identity);
    other.settings = {{"state_size", "32", "args"}};
    EXPECT_THAT(choice(first, other).why, HasSubstr("state_size is 16 in A and 32 in B"));
    other.settings = first.settings;
    other.family = "other";
    EXPECT_THAT(choice(first, other).why, HasSubstr("family"));
    other.family = first.family;
    other.routers.emplace_back().address = address("layers.0.self.o");
    EXPECT_THAT(choice(first, other).why, HasSubstr("different routers"));
    other.routers.clear();
    other.vocabulary = 7;
    EXPECT_EQ(choice(first, other).matching, Matching::Coselection);
}

} // namespace
} // namespace headscope::core
