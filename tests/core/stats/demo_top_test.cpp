// SPDX-License-Identifier: GPL-3.0-or-later
// The counts of one router of a trained model and the top lists that an independent program made of them.
#include "core/stats/pair_statistics.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>

namespace headscope::core {
namespace {

using Json = nlohmann::json;

/// Rows are the tokens in ascending order of id.
RouterTable tableOf(const Json& file)
{
    RouterTable table;
    table.experts = file.at("E").get<int>();
    table.chosen = file.at("k").get<int>();
    std::map<TokenId, std::map<std::uint32_t, std::int64_t>> counts;
    for (std::uint32_t expert = 0; expert < static_cast<std::uint32_t>(table.experts); ++expert) {
        for (const Json& pair : file.at("counts").at(expert))
            counts[pair.at(0).get<TokenId>()][expert] = pair.at(1).get<std::int64_t>();
    }
    RowNames names;
    table.selections.assign(static_cast<std::size_t>(table.experts), 0);
    table.gateMass.assign(static_cast<std::size_t>(table.experts), 0);
    for (const auto& [id, experts] : counts) {
        std::int64_t selections = 0;
        for (const auto& [expert, count] : experts) {
            table.pairs.push_back({.row = static_cast<std::uint32_t>(names.size()), .expert = expert, .count = count});
            table.selections[expert] += count;
            selections += count;
        }
        table.rowCounts.push_back(selections / table.chosen);
        table.positions += selections / table.chosen;
        names.push_back({id, std::to_string(id)});
    }
    table.rows = std::make_shared<const RowNames>(std::move(names));
    return table;
}

TEST(DemoTop, EqualsTheIndependentLists)
{
    std::ifstream stream(HEADSCOPE_TEST_DATA "/stats/demo_moa_top.json");
    const Json file = Json::parse(stream);
    const RouterTable table = tableOf(file);
    // Their threshold is on the pair, not on the token.
    const PairTable statistics =
        pairStatistics(table, {.minimum = 0, .minimumPair = file.at("minimum").get<std::int64_t>()});
    std::size_t at = 0;
    const std::size_t top = file.at("top").at(0).size();
    const std::vector<std::size_t> sorted = sortedByExpert(table, statistics, PairColumn::Pmi, top);
    for (const Json& expert : file.at("top")) {
        for (const Json& expected : expert) {
            const PairStatistics& pair = statistics.pairs.at(sorted.at(at++));
            EXPECT_EQ((*table.rows)[pair.row].id, expected.at(0).get<TokenId>());
            EXPECT_EQ(pair.count, expected.at(1).get<std::int64_t>());
            EXPECT_EQ(table.rowCounts[pair.row] * table.chosen, expected.at(2).get<std::int64_t>());
            EXPECT_NEAR(pair.pmi, expected.at(3).get<double>(), 1e-6);
        }
    }
    EXPECT_EQ(at, sorted.size());
    EXPECT_EQ(at, top * static_cast<std::size_t>(table.experts));
}

} // namespace
} // namespace headscope::core
