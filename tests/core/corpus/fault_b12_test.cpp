// SPDX-License-Identifier: GPL-3.0-or-later
// Pooled routers of the demo model beside what its trace says, position by position.
#include "core/corpus/count_corpus.h"
#include "core/families/model.h"
#include "core/stats/information.h"
#include "core/stats/tables.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace headscope::core::testing {
namespace {

/// H(E) of what several routers chose, and the mean over positions of that entropy at one position.
double explainable(const Trace& trace, const std::vector<RouterAddress>& routers)
{
    std::map<int, double> load;
    double left = 0, all = 0;
    for (std::int64_t token = 0; token < trace.tokens(); ++token) {
        std::map<int, double> here;
        double selections = 0;
        for (const RouterAddress& address : routers) {
            const SiteRouting& site = *trace.site(address);
            for (int slot = 0; slot < site.router.chosen; ++slot, ++selections)
                ++here[site.experts[site.slot(token, site.headOf(address), slot)]];
        }
        for (const auto& [expert, times] : here) {
            load[expert] += times;
            left -= times / selections * std::log2(times / selections);
        }
        all += selections;
    }
    double entropy = 0;
    for (const auto& [expert, selections] : load)
        entropy -= selections / all * std::log2(selections / all);
    return entropy - left / static_cast<double>(trace.tokens());
}

TEST(FaultB12, TheDemoAsItsTraceCountsIt)
{
    OpenOptions options;
    options.device = "cpu";
    const auto model = openModel(std::filesystem::path(HEADSCOPE_RESOURCES) / "demo/switchhead/model-1400.pth", options);
    CorpusFolder folder;
    const std::string text = someText(3);
    CountSettings settings;
    settings.corpus = {folder.file("text", text)};
    settings.window = 4096; // all in one, as the trace has it
    settings.groups = 4;
    settings.fingerprint = std::string(64, 'f');
    const Counts counts = countCorpus(*model, settings);
    const auto trace = model->trace(model->tokenize(text, {}), {});
    ASSERT_EQ(static_cast<std::uint64_t>(trace->tokens()), counts.streams.front().corpus.positions);
    std::vector<std::size_t> all(counts.routers.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const RowMap rows = rowMap(counts, 0, RowUnit::Pieces, LetterCase::Kept);
    int compared = 0;
    for (const Pooling pooling : {Pooling::Heads, Pooling::Layers})
        for (const TablePlan& plan : tablePlans(counts, all, pooling)) {
            std::vector<RouterAddress> routers;
            for (const std::size_t member : plan.members)
                routers.push_back(counts.routers[member].router.address);
            const Decomposition parts = decomposition(routerTable(counts, plan, rows));
            EXPECT_NEAR(parts.explainable, explainable(*trace, routers), 1e-9) << plan.router;
            EXPECT_LE(parts.token->share, 1 + 1e-9) << plan.router;
            EXPECT_LT(parts.token->information.shuffledBits, parts.token->information.bits) << plan.router;
            if (pooling == Pooling::Heads && plan.router == "layers.0.self.v") { // a function of the token in every head
                EXPECT_NEAR(parts.token->share, 1, 1e-9);
                EXPECT_EQ(parts.previous->share, 0);
                EXPECT_EQ(parts.place->share, 0);
            }
            EXPECT_GE(parts.previous->share, 0) << plan.router;
            ++compared;
        }
    EXPECT_GE(compared, 12);
}

} // namespace
} // namespace headscope::core::testing
