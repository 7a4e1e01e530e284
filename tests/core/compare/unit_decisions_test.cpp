// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/unit_decisions.h"

#include <gmock/gmock.h>

namespace headscope::tests {
namespace {

using ::testing::ElementsAre;

/// "abcd" as "a" and "bcd"; one of two experts is chosen for each.
core::TokenizedText halves()
{
    core::TokenizedText text;
    text.text = "abcd";
    text.tokens = {{.id = 1, .piece = "a", .span = {0, 1}, .special = false, .group = 0},
                   {.id = 2, .piece = "bcd", .span = {1, 4}, .special = false, .group = 1}};
    return text;
}

core::SiteDecisions site(std::vector<std::int32_t> experts)
{
    auto routing = std::make_shared<core::SiteRouting>();
    routing->router.experts = 2;
    routing->router.chosen = 1;
    routing->tokens = static_cast<std::int64_t>(experts.size());
    routing->gates.assign(experts.size(), 0.5F);
    routing->experts = std::move(experts);
    core::SiteDecisions decisions;
    decisions.parts[0] = routing;
    return decisions;
}

TEST(UnitDecisions, AreWeightedByBytes)
{
    const core::TokenizedText text = halves();
    const std::vector<core::AlignedUnit> units{{{0, 4}, {0, 2}, {0, 1}}};
    const auto tokens = core::unitTokens(text, units, &core::AlignedUnit::a, 0);
    EXPECT_THAT(tokens.share, ElementsAre(0.25, 0.75));
    const auto decisions = core::unitDecisions(site({1, 0}), 0, tokens);
    EXPECT_THAT(decisions.expert, ElementsAre(1, 0));
    EXPECT_THAT(decisions.share, ElementsAre(0.25, 0.75));
    EXPECT_THAT(decisions.gate, ElementsAre(0.125, 0.375));
    const auto same = core::unitDecisions(site({1, 1}), 0, tokens);
    EXPECT_THAT(same.share, ElementsAre(1));
}

TEST(UnitDecisions, TokensWithoutBytesCountAlike)
{
    core::TokenizedText text = halves();
    for (core::Token& token : text.tokens)
        token.span = {0, 0};
    const auto tokens = core::unitTokens(text, {{{0, 0}, {0, 2}, {0, 1}}}, &core::AlignedUnit::a, 5);
    EXPECT_THAT(tokens.token, ElementsAre(5, 6));
    EXPECT_THAT(tokens.share, ElementsAre(0.5, 0.5));
}

TEST(UnitDecisions, SpecialsTakeNoPart)
{
    core::TokenizedText text = halves();
    text.tokens[0].special = true;
    const auto tokens = core::unitTokens(text, {{{0, 4}, {0, 2}, {0, 1}}}, &core::AlignedUnit::a, 0);
    EXPECT_THAT(tokens.token, ElementsAre(1));
    EXPECT_THAT(tokens.share, ElementsAre(1));
}

} // namespace
} // namespace headscope::tests
