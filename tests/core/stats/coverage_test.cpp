// SPDX-License-Identifier: GPL-3.0-or-later
// How often the intervals of PMI hold the truth: documents of several lengths, alike and unlike, in 2 to 64 groups.
#include "core/stats/group_intervals.h"
#include "core/stats/pair_statistics.h"
#include "tests/core/stats/table_builder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>

namespace headscope::core::testing {
namespace {

/// Documents in which token 0 stands with a frequency that varies and chooses expert 0 with a probability that varies, as
/// does that of all other tokens (token 1).
struct Scenario {
    int documents;
    double length;      // positions of a document
    double occurrences; // of the token, on the mean
    double probability; // P(e|t) where documents are alike
    bool alike;
};

class Corpus
{
public:
    Corpus(const Scenario& scenario, std::uint64_t seed) : m_scenario(scenario), m_random(seed) {}

    double truth() const
    {
        constexpr int points = 2000; // of the normal distribution of documents
        double ofToken = 0, ofOthers = 0;
        for (int i = 0; i < points; ++i) {
            const double z = normalAt((i + 0.5) / points);
            ofToken += chance(m_scenario.probability, z) / points;
            ofOthers += chance(others, z) / points;
        }
        return std::log2(ofToken / (frequency() * ofToken + (1 - frequency()) * ofOthers));
    }

    RouterTable draw(int groups)
    {
        std::vector<std::array<std::int64_t, 4>> cells(static_cast<std::size_t>(groups)); // (token, expert)
        RouterTable table;
        table.groups.groups = groups;
        table.groups.documents.assign(cells.size(), 0);
        for (int document = 0; document < m_scenario.documents; ++document) {
            const std::size_t group = m_random() % cells.size();
            const double z = m_normal(m_random);
            const double varied = m_scenario.alike ? 1 : std::exp(0.7 * m_normal(m_random) - 0.245);
            const auto length = static_cast<std::int64_t>(m_scenario.length);
            const std::int64_t token = binomial(length, std::min(0.9, frequency() * varied));
            const std::int64_t both = binomial(token, chance(m_scenario.probability, z));
            const double other = 0.5 * z + std::sqrt(0.75) * m_normal(m_random);
            const std::int64_t rest = binomial(length - token, chance(others, other));
            cells[group][0] += both;
            cells[group][1] += token - both;
            cells[group][2] += rest;
            cells[group][3] += length - token - rest;
            ++table.groups.documents[group];
        }
        table.experts = 2;
        table.chosen = 1;
        table.documents = m_scenario.documents;
        table.rowCounts = {0, 0};
        table.selections = {0, 0};
        table.expected.assign(4, 1);
        table.rows = std::make_shared<const RowNames>(RowNames{{1, "t"}, {2, "other"}});
        for (std::uint32_t cell = 0; cell < 4; ++cell) {
            table.groups.first.push_back(table.groups.counts.size());
            TablePair pair{cell / 2, cell % 2};
            for (std::uint32_t group = 0; group < cells.size(); ++group) {
                if (cells[group][cell] > 0)
                    table.groups.counts.push_back({group, cells[group][cell]});
                pair.count += cells[group][cell];
            }
            table.rowCounts[pair.row] += pair.count;
            table.selections[pair.expert] += pair.count;
            table.positions += pair.count;
            table.pairs.push_back(pair);
        }
        table.groups.first.push_back(table.groups.counts.size());
        return table;
    }

private:
    static constexpr double others = 0.3;
    double frequency() const { return m_scenario.occurrences / (m_scenario.documents * m_scenario.length); }
    double chance(double probability, double z) const
    {
        const double spread = m_scenario.alike ? 0 : 0.8;
        return 1 / (1 + std::exp(-std::log(probability / (1 - probability)) - spread * z));
    }
    static double normalAt(double share) // by bisection: of the truth only
    {
        double low = -8, high = 8;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
        }
        return low;
    }
    std::int64_t binomial(std::int64_t count, double probability)
    {
        return count <= 0 ? 0 : std::binomial_distribution<std::int64_t>(count, probability)(m_random);
    }

    Scenario m_scenario;
    std::mt19937_64 m_random;
    std::normal_distribution<double> m_normal;
};

TEST(FaultB13, IntervalsHoldTheTruthAsOftenAsTheySay)
{
    constexpr int rounds = 1000;
    std::vector<Scenario> scenarios;
    for (const int documents : {24, 120})
        for (const double length : {12.0, 300.0})
            for (const auto& [occurrences, probability] : {std::pair{25.0, 0.7}, {60.0, 0.15}, {60.0, 0.7}})
                for (const bool alike : {true, false})
                    scenarios.push_back({documents, length, occurrences, probability, alike});
    std::uint64_t seed = 1;
    for (const int groups : {2, 4, 8, 16, 32, 64}) {
        double held = 0, shown = 0;
        for (const Scenario& scenario : scenarios) {
            Corpus corpus(scenario, ++seed);
            const double truth = corpus.truth();
            double here = 0, all = 0;
            for (int round = 0; round < rounds; ++round) {
                const RouterTable table = corpus.draw(groups);
                if (!blankColumns(table, {}).interval.empty() || table.rowCounts[0] < 10)
                    continue;
                const auto [low, high] = groupIntervals(table, {true, false, false, false}, 0, 0.95).front();
                if (std::isnan(low))
                    continue;
                here += low <= truth && truth <= high ? 1 : 0;
                ++all;
            }
            held += here;
            shown += all;
            std::printf("%2d groups, %3d documents of %3.0f, n(t) %3.0f, P(e|t) %.2f, %s: %.3f of %4.0f\n", groups,
                        scenario.documents, scenario.length, scenario.occurrences, scenario.probability,
                        scenario.alike ? "alike  " : "unlike ", here / all, all);
            EXPECT_GT(all, 0.2 * rounds);
            const double chance = 2.6 * std::sqrt(0.95 * 0.05 / all); // of this simulation
            EXPECT_GT(here / all, 0.93 - chance);
            EXPECT_LT(here / all, 0.97 + chance + (groups == 2 ? 0.01 : 0)); // two groups: one degree of freedom
        }
        RecordProperty("coverage_" + std::to_string(groups) + "_groups", std::to_string(held / shown));
        EXPECT_GT(held / shown, 0.93) << groups;
        EXPECT_LT(held / shown, 0.972) << groups;
    }
}

} // namespace
} // namespace headscope::core::testing
