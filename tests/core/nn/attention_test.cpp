// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/attention.h"
#include "core/nn/positions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include <gtest/gtest.h>

#include <cmath>

namespace headscope::core::nn {
namespace {

/// The definition, entry by entry.
at::Tensor plainly(const ScoredAttention& input)
{
    const auto n = input.queries.size(0);
    const auto maps = input.queries.size(1);
    const auto columns = input.keys.size(0);
    auto mixed = at::zeros({n, maps, input.values.size(2)});
    for (std::int64_t r = 0; r < n; ++r) {
        const auto i = columns - n + r;
        for (std::int64_t m = 0; m < maps; ++m) {
            double sum = 0;
            auto row = at::zeros({input.values.size(2)});
            const auto head = m % input.keys.size(1);
            for (auto j = input.visibility.firstVisible(i); j <= i; ++j) {
                double score = input.queries[r][m].dot(input.keys[j][head]).item<double>();
                if (input.relative.defined())
                    score += input.queries[r][m].dot(input.relative[input.distances - 1 - (i - j)][m % input.relative.size(1)]).item<double>();
                sum += std::exp(score);
                row += input.values[j][head] * std::exp(score);
            }
            mixed[r][m] = row / sum;
        }
    }
    return mixed;
}

ScoredAttention someAttention(std::int64_t rows, std::int64_t columns, std::int64_t keyHeads, const Visibility& visibility)
{
    ScoredAttention input;
    input.queries = at::rand({rows, 2, 4}) * 2 - 1;
    input.keys = at::rand({columns, keyHeads, 4}) * 2 - 1;
    input.values = at::rand({columns, keyHeads, 3});
    input.visibility = visibility;
    input.distances = visibility.segment ? std::min(columns, visibility.segment * (visibility.segmentsBack + 1)) : columns;
    input.relative = at::rand({input.distances + attentionStretch - 1, keyHeads, 4}) * 2 - 1;
    return input;
}

TEST(Attention, EqualsTheDefinition)
{
    for (const auto& visibility : {Visibility{}, Visibility{true, 10, 1}, Visibility{true, 7, 0}, Visibility{true, 5, 3}, Visibility{true, 200, 1},
                                   Visibility{true, 10, 1, true}, Visibility{true, 7, 0, true}, Visibility{true, 5, 3, true}})
        for (const std::int64_t keyHeads : {1, 2}) {
            const auto input = someAttention(33, 33, keyHeads, visibility);
            EXPECT_TRUE(at::allclose(attend(input, {}).mixed, plainly(input), 1e-4, 1e-5)) << visibility.segment << " " << visibility.segmentsBack;
        }
}

TEST(Attention, OfTheLastRowsEqualsThatOfTheWhole)
{
    for (const auto& visibility : {Visibility{}, Visibility{true, 10, 1}, Visibility{true, 10, 1, true}}) {
        const auto whole = someAttention(150, 150, 2, visibility);
        auto last = whole;
        last.queries = whole.queries.narrow(0, 137, 13);
        const auto expected = attend(whole, {});
        const auto actual = attend(last, {});
        EXPECT_TRUE(at::allclose(actual.mixed, expected.mixed.narrow(0, 137, 13), 1e-4, 1e-5));
        EXPECT_TRUE(at::allclose(actual.logSumExp, expected.logSumExp.narrow(0, 137, 13), 1e-4, 1e-5));
    }
}

TEST(Positions, SinusoidsAreInterleavedAndPastIsNegative)
{
    const auto table = relativeSinusoids(2, 1, 4, {});
    ASSERT_EQ(table.size(0), 4);
    EXPECT_NEAR(table[0][0].item<double>(), std::sin(-2.0), 1e-6);
    EXPECT_NEAR(table[0][1].item<double>(), std::cos(-2.0), 1e-6);
    EXPECT_NEAR(table[0][2].item<double>(), std::sin(-0.02), 1e-6);
    EXPECT_NEAR(table[2][1].item<double>(), 1, 1e-6);
}

TEST(Positions, RotationKeepsLengthsAndDependsOnTheDistance)
{
    const Rotary rotary{4, 10000};
    const auto q = at::rand({1, 1, 6});
    const auto k = at::rand({1, 1, 6});
    const auto dot = [&](std::int64_t i, std::int64_t j) { return (rotary(q, i) * rotary(k, j)).sum().item<double>(); };
    EXPECT_NEAR(dot(5, 3), dot(105, 103), 1e-4);
    EXPECT_NEAR((rotary(q, 9) * rotary(q, 9)).sum().item<double>(), (q * q).sum().item<double>(), 1e-5);
    EXPECT_TRUE(at::allclose(rotary(q, 9).narrow(2, 4, 2), q.narrow(2, 4, 2)));
}

} // namespace
} // namespace headscope::core::nn
