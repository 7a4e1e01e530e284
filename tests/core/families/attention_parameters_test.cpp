// SPDX-License-Identifier: GPL-3.0-or-later
// What core/cost counts from a model's description is what its file holds.
#include "core/checkpoint/checkpoint.h"
#include "core/trace/model_cost.h"
#include "tests/core/families/expected_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace headscope::tests {
namespace {

/// Matrices of the projections; not routers, biases, norms, scalars and buffers.
bool isProjection(const core::TensorView& tensor)
{
    const auto has = [&](std::string_view part) { return tensor.name.find(part) != std::string::npos; };
    constexpr std::array others{"selections.", "sel_", "bias", "norm", "inv_freq", ".pe."};
    return (has(".self_attn.") || has(".attention.")) && tensor.elementCount() > 1 &&
           std::none_of(others.begin(), others.end(), has);
}

class Parameters : public ::testing::TestWithParam<std::filesystem::path>
{
};

TEST_P(Parameters, AreThoseOfTheFile)
{
    const Fixture fixture = Fixture::read(GetParam());
    const auto model = fixture.open();
    const core::Checkpoint checkpoint = core::openCheckpoint(fixture.checkpoint);
    std::int64_t inFile = 0;
    for (const core::TensorView& tensor : checkpoint.tensors) {
        if (isProjection(tensor))
            inFile += tensor.elementCount();
    }
    EXPECT_GT(inFile, 0);
    EXPECT_EQ(core::modelCost(*model->info(), {.tokens = 10, .memory = 0}).all.parameters, inFile);
}

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& fixture)
{
    return fixture.param.parent_path().filename().string() + "_" + fixture.param.filename().string();
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Parameters, ::testing::ValuesIn(fixtureFolders()), nameOf);

} // namespace
} // namespace headscope::tests
