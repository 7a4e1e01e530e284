// SPDX-License-Identifier: GPL-3.0-or-later
// Three checkpoints of one run: routers that settle.
#include "core/checkpoint/series_folder.h"
#include "core/compare/series.h"
#include "core/error.h"
#include "tests/core/families/changed_checkpoint.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <random>

namespace headscope::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ThreeSteps : public ChangedCheckpoint
{
protected:
    void SetUp() override
    {
        ChangedCheckpoint::SetUp();
        write(100, 3);
        write(900, 0.3);
        write(1000, 0);
        std::ofstream(folder / "notes-7.txt") << "no checkpoint";
        std::filesystem::copy(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / "switchhead_xl" / "tokenizer.model",
                              folder / "tokenizer.model");
    }
    /// Routers that differ from the fixture's by noise of so many times their own size.
    void write(int step, double noise)
    {
        test::TorchCheckpoint changed = file;
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        for (auto& tensor : changed.tensors) {
            if (tensor.name.find(".selections.") == std::string::npos)
                continue;
            double square = 0;
            for (const double value : tensor.values)
                square += value * value;
            const double size = std::sqrt(square / static_cast<double>(tensor.values.size()));
            for (auto& value : tensor.values)
                value += static_cast<std::remove_reference_t<decltype(value)>>(noise * size * normal(random));
        }
        test::writeTorchCheckpoint(folder / ("model-" + std::to_string(step) + ".pth"), changed);
    }
    std::vector<core::SeriesStep> run(const core::SeriesHooks& hooks = {}) const
    {
        const auto files = core::findSeries(folder);
        std::vector<core::SeriesMember> members;
        for (const core::SeriesFile& member : files)
            members.push_back({member.step, member.path.filename().string()});
        core::OpenOptions options;
        options.device = "cpu";
        const auto open = [&](std::size_t member, const core::Progress& progress) {
            return core::openModel(files[member].path, options, progress);
        };
        return core::runSeries(members, text, open, hooks);
    }
    const std::string text = "The router of every head decides which experts a token is given, and the tokens of this "
                             "sentence are many enough to tell.";
};

TEST_F(ThreeSteps, SettleTowardsTheLast)
{
    const auto members = core::findSeries(folder);
    ASSERT_EQ(members.size(), 3U);
    EXPECT_EQ(members[0].step, 100);
    EXPECT_EQ(members[1].step, 900);
    EXPECT_EQ(members[2].step, 1000);
    std::vector<std::int64_t> order;
    core::SeriesHooks hooks;
    hooks.arrived = [&](const auto& step) { order.push_back(step->member.step); };
    const auto steps = run(hooks);
    EXPECT_THAT(order, ElementsAre(1000, 100, 900)); // what the others are held against comes first
    const core::Series series = core::compareSteps(steps);
    ASSERT_EQ(series.saturation.size(), 3U);
    EXPECT_DOUBLE_EQ(series.saturation[2], 1);
    EXPECT_GT(series.saturation[1], series.saturation[0]);
    EXPECT_LT(series.saturation[1], 1);
    EXPECT_DOUBLE_EQ(series.next[1], series.saturation[1]); // the step before the last
    EXPECT_TRUE(std::isnan(series.next[2]));
    for (const core::RouterSeries& router : series.routers) {
        EXPECT_NEAR(router.chance[0], 1.0 * router.chosen / router.experts, 0.35);
        EXPECT_LE(router.entropy[0], 1);
    }
    for (const double bits : series.bitsPerByte)
        EXPECT_GT(bits, 0);
    // Any of the steps can be shown before the others have come.
    const std::vector<core::SeriesStep> some{steps[0], steps[2]};
    EXPECT_DOUBLE_EQ(core::compareSteps(some).saturation[0], series.saturation[0]);
}

TEST_F(ThreeSteps, AMemberThatCannotBeOpenedIsNamed)
{
    std::ofstream(folder / "model-900.pth") << "not a checkpoint";
    try {
        run();
        FAIL();
    } catch (const core::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("model-900.pth"));
    }
}

TEST_F(ThreeSteps, CanBeCancelled)
{
    std::stop_source stop;
    core::SeriesHooks hooks;
    hooks.progress.stop = stop.get_token();
    int arrived = 0;
    hooks.arrived = [&](const auto&) {
        ++arrived;
        stop.request_stop();
    };
    EXPECT_THROW(run(hooks), core::Cancelled);
    EXPECT_EQ(arrived, 1);
}

/// Two tokens, two experts of which one is chosen.
core::SeriesStep step(std::int64_t number, std::vector<std::int32_t> experts)
{
    core::SiteRouting routing;
    routing.router.address = {core::Stack::None, 0, core::Block::Self, core::Site::O, std::nullopt};
    routing.router.experts = 2;
    routing.router.chosen = 1;
    routing.tokens = static_cast<std::int64_t>(experts.size());
    routing.gates.assign(experts.size(), 1.0F);
    routing.experts = std::move(experts);
    return {.member = {number, "model-" + std::to_string(number) + ".pth"},
            .sites = {std::make_shared<core::SiteRouting>(routing)},
            .ids = {1, 2, 3, 4},
            .bitsPerByte = 1};
}

TEST(Series, ByHand)
{
    const std::vector<core::SeriesStep> steps{step(1, {0, 0, 0, 0}), step(2, {0, 0, 1, 0}), step(3, {1, 0, 1, 1})};
    const core::Series series = core::compareSteps(steps);
    ASSERT_EQ(series.routers.size(), 1U);
    EXPECT_THAT(series.routers[0].saturation, ElementsAre(0.25, 0.5, 1));
    EXPECT_DOUBLE_EQ(series.routers[0].next[0], 0.75);
    EXPECT_THAT(series.routers[0].chance, ElementsAre(0.25, 0.75 * 0.25 + 0.25 * 0.75, 0.25 * 0.25 + 0.75 * 0.75));
    EXPECT_DOUBLE_EQ(series.routers[0].entropy[0], 0);
}

TEST(Series, OfOtherTextsAreRefused)
{
    std::vector<core::SeriesStep> steps{step(1, {0, 0, 0, 0}), step(2, {0, 0, 1, 0})};
    steps[0].ids = {9, 9, 9, 9};
    EXPECT_THROW(core::compareSteps(steps), core::Error);
    EXPECT_TRUE(core::compareSteps({}).members.empty());
}

TEST(SeriesFolder, SaysWhenThereIsNone)
{
    const auto folder = std::filesystem::path(::testing::TempDir()) / "no_series";
    std::filesystem::create_directories(folder / "checkpoint-10");
    EXPECT_THROW(core::findSeries(folder / "nowhere"), core::Error);
    try {
        core::findSeries(folder);
        FAIL();
    } catch (const core::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("no two"));
    }
    std::filesystem::create_directories(folder / "checkpoint-9");
    const auto members = core::findSeries(folder);
    ASSERT_EQ(members.size(), 2U);
    EXPECT_EQ(members[0].step, 9); // by number, not by letters
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace headscope::tests
