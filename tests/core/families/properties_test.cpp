// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold whatever the weights are.
#include "tests/core/families/expected_trace.h"
#include "tests/core/families/trace_checks.h"

#include "core/trace/trace_cost.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

namespace headscope::tests {
namespace {

class Properties : public ::testing::TestWithParam<std::filesystem::path>
{
protected:
    void SetUp() override
    {
        fixture = Fixture::read(GetParam());
        model = fixture.open();
    }
    std::shared_ptr<const core::Trace> traceOf(std::int64_t tokens, core::TraceOptions options = {}) const
    {
        std::vector<core::TokenId> ids;
        for (std::int64_t i = 0; i < tokens; ++i)
            ids.push_back(static_cast<core::TokenId>((i * 7919 + 13) % model->info()->vocabulary));
        return model->trace(model->tokensFromIds(ids), options);
    }
    Fixture fixture;
    std::shared_ptr<const core::Model> model;
};

TEST_P(Properties, AttentionRowsSumToOneInsideTheVisibleWindow)
{
    const auto visibility = model->info()->visibility;
    const auto tokens = visibility.segment > 0 ? std::min<std::int64_t>(visibility.segment * (visibility.segmentsBack + 1) + 37, 300) : 150;
    expectRowsSumToOne(*traceOf(tokens));
}

TEST_P(Properties, TilesEqualTheWholeMap)
{
    expectTilesEqualWholeMaps(*traceOf(75));
}

TEST_P(Properties, KeptBytesGrowWithTheTextNotItsSquare)
{
    const core::TraceOptions options{.maps = true, .routerLogits = true, .loss = false};
    const auto once = core::keptBytes(*traceOf(2048, options));
    const auto twice = core::keptBytes(*traceOf(4096, options));
    EXPECT_NEAR(static_cast<double>(twice) / static_cast<double>(once), 2, 0.2);
}

TEST_P(Properties, ZeroAndOneTokenAreLegal)
{
    const auto none = traceOf(0, {.logits = true, .predictions = 3});
    EXPECT_EQ(none->tokens(), 0);
    EXPECT_TRUE(none->loss.empty());
    EXPECT_EQ(none->attention.size(), model->info()->maps.size());
    const auto one = traceOf(1, {.logits = true, .predictions = 3});
    ASSERT_EQ(one->loss.size(), 1U);
    EXPECT_TRUE(std::isnan(one->loss[0]));
    EXPECT_EQ(one->rank[0], -1);
    EXPECT_EQ(one->predictions.size(), 3U);
    EXPECT_EQ(one->logits.size(), static_cast<std::size_t>(model->info()->vocabulary));
}

TEST_P(Properties, LossAndRankFollowFromTheLogits)
{
    expectLossFollowsFromLogits(*traceOf(60, {.logits = true, .predictions = 2}));
}

TEST_P(Properties, AnIdWithoutEmbeddingRowIsRefused)
{
    const auto rows = static_cast<core::TokenId>(model->info()->vocabulary);
    EXPECT_THROW(model->tokensFromIds({1, rows}), core::Error);
    EXPECT_THROW(model->tokensFromIds({-1}), core::Error);
}

TEST_P(Properties, BFloat16StaysClose)
{
    core::OpenOptions options;
    options.dtype = core::ComputeType::BFloat16;
    const auto rounded = fixture.open(options);
    const auto exact = model->trace(model->tokensFromIds(fixture.ids), {});
    const auto close = rounded->trace(rounded->tokensFromIds(fixture.ids), {});
    double mean = 0;
    for (std::size_t t = 1; t < exact->loss.size(); ++t)
        mean += (close->loss[t] - exact->loss[t]) / static_cast<double>(exact->loss.size() - 1);
    EXPECT_NEAR(mean, 0, 0.2);
}

TEST_P(Properties, CancellingStopsTheRun)
{
    std::stop_source source;
    core::Progress progress;
    progress.stop = source.get_token();
    source.request_stop();
    EXPECT_THROW(model->trace(model->tokensFromIds(fixture.ids), {}, progress), core::Cancelled);
}

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& info)
{
    return info.param.parent_path().filename().string() + "_" + info.param.filename().string();
}
INSTANTIATE_TEST_SUITE_P(Data, Properties, ::testing::ValuesIn(fixtureFolders()), nameOf);

} // namespace
} // namespace headscope::tests
