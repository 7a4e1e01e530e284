// SPDX-License-Identifier: GPL-3.0-or-later
// The same fixtures on every device: the CPU always, CUDA where there is one.
#include "tests/core/families/expected_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace headscope::tests {
namespace {

class OnDevice : public ::testing::TestWithParam<std::string>
{
};

TEST_P(OnDevice, FixturesAreReproduced)
{
    const auto devices = core::availableDevices();
    if (std::find(devices.begin(), devices.end(), GetParam()) == devices.end())
        GTEST_SKIP() << "this machine has no " << GetParam();
    for (const auto& folder : fixtureFolders()) {
        const auto fixture = Fixture::read(folder);
        core::OpenOptions options;
        options.device = GetParam();
        const auto model = fixture.open(options);
        EXPECT_EQ(model->info()->device, GetParam());
        const auto trace = model->trace(model->tokensFromIds(fixture.ids), {.logits = true});
        EXPECT_THAT(differences(fixture, *trace), ::testing::IsEmpty()) << folder;
    }
}

std::string deviceKind(const ::testing::TestParamInfo<std::string>& device) { return device.param.substr(0, device.param.find(':')); }
INSTANTIATE_TEST_SUITE_P(Devices, OnDevice, ::testing::Values("cpu", "cuda:0"), deviceKind);

TEST(Devices, UnknownOrAbsentOnesAreRefusedWithASentence)
{
    const auto fixture = Fixture::read(fixtureFolders().front());
    for (const auto* device : {"gpu", "cuda:", "cuda:x", "cuda:99", "cuda:-1", ""}) {
        core::OpenOptions options;
        options.device = device;
        try {
            fixture.open(options);
            ADD_FAILURE() << "\"" << device << "\" was accepted";
        } catch (const core::Error& error) {
            EXPECT_THAT(error.what(), ::testing::EndsWith(".")) << device;
        }
    }
    EXPECT_EQ(core::availableDevices().back(), "cpu");
}

} // namespace
} // namespace headscope::tests
