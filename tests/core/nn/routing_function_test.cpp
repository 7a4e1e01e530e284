// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/routing_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headscope::core::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

Choices decideOne(std::vector<float> logits, int chosen, GateKind gate)
{
    return decide(logits, {1, static_cast<int>(logits.size()), chosen, gate});
}

TEST(RoutingFunction, SigmoidGatesInDescendingOrder)
{
    const auto choices = decideOne({0, 2, -1, 1}, 2, GateKind::Sigmoid);
    EXPECT_THAT(choices.experts, ElementsAre(1, 3));
    EXPECT_THAT(choices.gates, ElementsAre(FloatNear(0.880797F, 1e-6F), FloatNear(0.731059F, 1e-6F)));
    EXPECT_FLOAT_EQ(choices.margins[0], 1);
}

TEST(RoutingFunction, TiesGoToTheLowerIndex)
{
    EXPECT_THAT(decideOne({1, 1, 1, 1}, 2, GateKind::Sigmoid).experts, ElementsAre(0, 1));
    EXPECT_THAT(decideOne({0, 1, 1, 1}, 2, GateKind::SoftmaxAll).experts, ElementsAre(1, 2));
    EXPECT_EQ(decideOne({0, 1, 1, 1}, 2, GateKind::SoftmaxAll).margins[0], 0);
}

TEST(RoutingFunction, SoftmaxOverAllIsNotRenormalised)
{
    const auto choices = decideOne({1, 2, 3}, 2, GateKind::SoftmaxAll);
    const double sum = std::exp(1) + std::exp(2) + std::exp(3);
    EXPECT_THAT(choices.gates, ElementsAre(FloatNear(static_cast<float>(std::exp(3) / sum), 1e-6F), FloatNear(static_cast<float>(std::exp(2) / sum), 1e-6F)));
}

TEST(RoutingFunction, SoftmaxOverChosenAndL1SumToOne)
{
    for (const auto gate : {GateKind::SoftmaxChosen, GateKind::L1Normalised}) {
        const auto choices = decideOne({-700, 2, 3, 900}, 3, gate);
        EXPECT_NEAR(choices.gates[0] + choices.gates[1] + choices.gates[2], 1, 1e-6);
    }
}

TEST(RoutingFunction, MagnitudeRanksByAbsoluteValue)
{
    const auto choices = decideOne({0.5F, -3, 1}, 2, GateKind::Magnitude);
    EXPECT_THAT(choices.experts, ElementsAre(1, 2));
    EXPECT_THAT(choices.gates, ElementsAre(3, 1));
}

TEST(RoutingFunction, AllChosenHasNoMargin)
{
    EXPECT_TRUE(std::isnan(decideOne({1, 2}, 2, GateKind::Sigmoid).margins[0]));
}

TEST(RoutingFunction, NotANumberIsChosenLast)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(decideOne({nan, -5, nan, 1}, 3, GateKind::Sigmoid).experts, ElementsAre(3, 1, 0));
    EXPECT_THAT(decideOne({nan, nan, nan}, 2, GateKind::SoftmaxAll).experts, ElementsAre(0, 1));
}

TEST(RoutingFunction, HeadsDecideIndependently)
{
    const std::vector<float> logits{1, 2, 3, 3, 2, 1, 0, 0, 1, 9, 8, 7}; // 2 tokens, 2 heads, 3 experts
    const auto choices = decide(logits, {2, 3, 1, GateKind::Binary});
    EXPECT_THAT(choices.experts, ElementsAre(2, 0, 2, 0));
    EXPECT_THAT(choices.gates, ElementsAre(1, 1, 1, 1));
}

} // namespace
} // namespace headscope::core::nn
