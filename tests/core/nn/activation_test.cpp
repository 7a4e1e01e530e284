// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/feed_forward.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/tensor.h>

#include <gtest/gtest.h>

namespace headscope::core::nn {
namespace {

TEST(Activation, WithoutLargestBlanksTheLargestOfEveryRow)
{
    const auto x = at::tensor({3.0F, -1.0F, 2.0F, 0.5F, -4.0F, -2.0F, -3.0F, -2.0F}).view({2, 4});
    const auto expected = at::tensor({0.0F, -1.0F, 0.0F, 0.5F, -4.0F, 0.0F, -3.0F, 0.0F}).view({2, 4});
    EXPECT_TRUE(at::allclose(activate(x, Activation::WithoutLargest, 2), expected));
    const auto one = at::tensor({0.0F, -1.0F, 2.0F, 0.5F}).view({1, 4});
    EXPECT_TRUE(at::allclose(activate(x.narrow(0, 0, 1), Activation::WithoutLargest, 1), one));
}

} // namespace
} // namespace headscope::core::nn
