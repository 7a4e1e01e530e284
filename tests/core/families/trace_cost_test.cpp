// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace keeps is known before it is made.
#include "core/trace/trace_cost.h"
#include "tests/core/families/expected_trace.h"

#include <gtest/gtest.h>

namespace headscope::tests {
namespace {

class Cost : public ::testing::TestWithParam<std::filesystem::path>
{
protected:
    void SetUp() override { model = Fixture::read(GetParam()).open(); }
    core::TokenizedText text(std::int64_t tokens) const
    {
        std::vector<core::TokenId> ids;
        for (std::int64_t i = 0; i < tokens; ++i)
            ids.push_back(static_cast<core::TokenId>((i * 7919 + 13) % model->info()->vocabulary));
        return model->tokensFromIds(ids);
    }
    std::shared_ptr<const core::Model> model;
};

TEST_P(Cost, KeptBytesAreExact)
{
    core::TraceOptions all, routing, choices, output, decisions;
    routing.maps = false;
    choices.maps = choices.routerLogits = choices.loss = false;
    output.logits = true;
    output.predictions = 3;
    output.lastLayer = true;
    decisions = choices;
    decisions.lastLayer = true;
    for (const auto& options : {all, routing, choices, output, decisions})
        for (const std::int64_t tokens : {0, 1, 2, 57, 300}) {
            const auto trace = model->trace(text(tokens), options);
            const auto cost = core::traceCost(*model->info(), options, tokens);
            EXPECT_EQ(cost.keptBytes, core::keptBytes(*trace)) << tokens << " tokens";
            const bool forMaps = options.maps && model->info()->lastLayerMemory;
            EXPECT_EQ(trace->lastLayer.size(), options.lastLayer || forMaps ? static_cast<std::size_t>(tokens * model->info()->width) : 0U);
            auto maps = forMaps ? static_cast<std::int64_t>(trace->lastLayer.size() * sizeof(float)) : 0;
            for (const auto& block : trace->attention)
                for (const auto* values : {&block->queries, &block->keys, &block->values, &block->positionQueries, &block->relative, &block->logSumExp})
                    maps += static_cast<std::int64_t>(values->size() * sizeof(float));
            EXPECT_EQ(cost.mapBytes, maps) << tokens << " tokens";
            EXPECT_EQ(cost.products > 0, tokens > 0);
        }
}

TEST_P(Cost, KnownTokensCostMemoryButNoWork)
{
    core::TraceOptions options;
    const auto first = text(200);
    options.prefix = model->trace(first, {});
    auto ids = std::vector<core::TokenId>();
    for (const auto& token : first.tokens)
        ids.push_back(token.id);
    ids.push_back(ids.front());
    const auto longer = model->tokensFromIds(ids);
    EXPECT_EQ(core::reusableTokens(options, *model->info(), longer), 199);
    const auto whole = core::traceCost(*model->info(), options, 201);
    const auto rest = core::traceCost(*model->info(), options, 201, 199);
    EXPECT_EQ(rest.keptBytes, whole.keptBytes);
    EXPECT_LT(rest.products, whole.products / 50);
    EXPECT_EQ(core::keptBytes(*model->trace(longer, options)), whole.keptBytes);
    options.maps = false; // the earlier one kept something else
    EXPECT_EQ(core::reusableTokens(options, *model->info(), longer), 0);
}

TEST_P(Cost, ProductsGrowWithTheTextAndWithWhatIsAsked)
{
    core::TraceOptions withHead, without;
    without.loss = false;
    double former = 0;
    for (const std::int64_t tokens : {1, 10, 100, 1000, 10000}) {
        const auto cost = core::traceCost(*model->info(), withHead, tokens);
        EXPECT_GT(cost.products, former);
        EXPECT_GT(cost.products, core::traceCost(*model->info(), without, tokens).products);
        former = cost.products;
    }
    // No token uses more weights than there are: each counts once, but those that are applied in several layers.
    EXPECT_LE(model->info()->headProducts, model->info()->parameters);
    EXPECT_LE(model->info()->layerProducts, model->info()->parameters * model->info()->layers);
}

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& info)
{
    return info.param.parent_path().filename().string() + "_" + info.param.filename().string();
}
INSTANTIATE_TEST_SUITE_P(Data, Cost, ::testing::ValuesIn(fixtureFolders()), nameOf);

} // namespace
} // namespace headscope::tests
