// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold whatever the weights are.
#include "tests/core/families/expected_trace.h"

#include "core/attention/maps.h"
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
    const auto trace = traceOf(tokens);
    for (const auto& block : trace->attention) {
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(*trace, map);
            for (std::int64_t i = 0; i < tokens; ++i) {
                double inside = 0;
                for (std::int64_t j = 0; j < tokens; ++j) {
                    const auto value = whole.values[static_cast<std::size_t>(i * tokens + j)];
                    if (j < visibility.firstVisible(i) || j > i)
                        ASSERT_EQ(value, 0) << map.toString(block->slots) << " " << i << "," << j;
                    else
                        inside += value;
                }
                ASSERT_NEAR(inside, 1, 1e-4) << map.toString(block->slots) << " row " << i;
            }
        }
    }
}

TEST_P(Properties, TilesEqualTheWholeMap)
{
    const auto trace = traceOf(75);
    for (const auto& block : trace->attention) {
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(*trace, map);
            for (const core::TileArea wanted : {core::TileArea{0, 0, 10, 10, 1}, {60, 3, 40, 200, 1}, {5, 0, 9, 20, 4}, {74, 74, 5, 5, 2}}) {
                const auto part = core::tile(*trace, map, wanted);
                ASSERT_EQ(part.values.size(), static_cast<std::size_t>(part.area.rows * part.area.columns));
                for (std::int64_t r = 0; r < part.area.rows; ++r)
                    for (std::int64_t c = 0; c < part.area.columns; ++c)
                        ASSERT_EQ(part.values[static_cast<std::size_t>(r * part.area.columns + c)],
                                  whole.values[static_cast<std::size_t>((wanted.row + r * wanted.step) * 75 + wanted.column + c * wanted.step)]);
            }
        }
    }
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
    const auto trace = traceOf(60, {.logits = true, .predictions = 2});
    const auto vocabulary = static_cast<std::size_t>(model->info()->vocabulary);
    for (std::size_t t = 1; t < 60; ++t) {
        const auto* row = trace->logits.data() + (t - 1) * vocabulary;
        const auto truth = row[trace->text().tokens[t].id];
        double sum = 0;
        int better = 0;
        for (std::size_t v = 0; v < vocabulary; ++v) {
            sum += std::exp(static_cast<double>(row[v]) - truth);
            better += row[v] > truth;
        }
        EXPECT_NEAR(trace->loss[t], std::log(sum), 1e-4);
        EXPECT_EQ(trace->rank[t], better);
        EXPECT_EQ(std::max_element(row, row + vocabulary) - row, trace->predictions[2 * (t - 1)].id);
    }
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
