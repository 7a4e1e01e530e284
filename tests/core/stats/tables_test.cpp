// SPDX-License-Identifier: GPL-3.0-or-later
// From the counts of a pass to the tables of statistics.
#include "core/error.h"
#include "core/stats/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace headscope::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

FixedSums sums(const std::vector<float>& values)
{
    FixedSums result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        result.add(i, FixedSums::steps(values[i]));
    return result;
}

RouterCounts router(int depth, int head, std::vector<std::uint64_t> selections)
{
    RouterCounts counts;
    counts.router.address = {Stack::None, depth, Block::Self, Site::V, head};
    counts.router.experts = 2;
    counts.router.chosen = 1;
    counts.router.weightsGroup = depth < 2 ? std::optional<std::string>("block.0") : std::nullopt;
    counts.selections = std::move(selections);
    return counts;
}

/// Tokens "A", "a", "b" of 3, 2, 1 positions; two heads in layers 0, 1 (one weights group) and 2.
Counts smallCounts()
{
    Counts counts;
    counts.basis.groups = 2;
    counts.basis.tags = {"", "code"};
    counts.basis.words = true;
    StreamCounts stream;
    stream.corpus.documents = 2;
    stream.corpus.positions = 6;
    stream.tokens = {{7, 9, 11}, {"\u2581A", "\u2581a", "b"}, {3, 2, 1}, {1, 0, 0}, {2, 1, 1, 1, 1, 0}};
    stream.words = {{"A", "a"}, {3, 2}};
    stream.groupDocuments = {1, 1};
    stream.groupPositions = {4, 2};
    stream.tagPositions = {4, 2};
    counts.streams.push_back(stream);
    for (int depth = 0; depth < 3; ++depth) {
        for (int head = 0; head < 2; ++head) {
            RouterCounts one = router(depth, head, {3, 3});
            one.gates = sums({1.5F, 0.75F});
            one.pairs = {
                {0, 0, 1, 1, 2}, {0, 1, 0, 1, 1}, {2, 1, 1, 1, 1}, sums({1.0F, 0.25F, 0.5F, 0.25F, 0.25F}), {1, 0, 0, 0, 0}};
            one.expected = sums({1.5F, 1.5F, 1.0F, 1.0F, 0.5F, 0.5F});
            one.groups = {{0, 0, 1, 2, 3, 4}, {0, 1, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1}};
            one.groupSelections = {2, 2, 1, 1};
            one.tags = {2, 2, 1, 1};
            one.tagGates = sums({1.0F, 0.5F, 0.5F, 0.25F});
            one.previous = {{0, 1, 2, 3}, {5, 5, 5, 6}, {2, 1, 1, 1}};
            one.words = {{0, 0, 1, 1}, {0, 1, 0, 1}, {2, 1, 1, 1}, sums({1.0F, 0.25F, 0.5F, 0.25F}), {}};
            counts.routers.push_back(one);
        }
    }
    return counts;
}

TEST(Tables, OfOneRouter)
{
    const Counts counts = smallCounts();
    const std::array<std::size_t, 1> chosen{0};
    const std::vector<TablePlan> plans = tablePlans(counts, chosen, Pooling::None);
    ASSERT_EQ(plans.size(), 1U);
    const RouterTable table = routerTable(counts, plans[0], rowMap(counts, 0, RowUnit::Pieces, LetterCase::Kept));
    EXPECT_EQ(table.router, "layers.0.self.v.h0");
    EXPECT_THAT(table.members, ElementsAre("layers.0.self.v.h0"));
    EXPECT_EQ(table.positions, 6);
    EXPECT_THAT(table.rowCounts, ElementsAre(3, 2, 1));
    EXPECT_THAT(table.selections, ElementsAre(3, 3));
    EXPECT_EQ(table.pairs.size(), 5U);
    EXPECT_EQ(table.pairs[0].early, 1);
    EXPECT_NEAR(table.pairs[2].gateMass, 0.5, 1e-9);
    EXPECT_EQ((*table.rows)[1].id, 9);
    EXPECT_NEAR(table.expectedOf(1, 0), 1, 1e-9);
    EXPECT_EQ(table.groups.of(0).size(), 2U);
    EXPECT_EQ(table.groups.of(4).size(), 1U);
    EXPECT_EQ(table.tags[1].selections[0], 1);
    EXPECT_EQ(table.previous.size(), 4U);
    EXPECT_EQ(table.documents, 2);
}

TEST(Tables, PooledRoutersAddUp)
{
    const Counts counts = smallCounts();
    const std::array<std::size_t, 6> all{0, 1, 2, 3, 4, 5};
    const RowMap rows = rowMap(counts, 0, RowUnit::Pieces, LetterCase::Kept);
    const auto names = [&](Pooling pooling) {
        std::vector<std::string> result;
        for (const TablePlan& plan : tablePlans(counts, all, pooling))
            result.push_back(plan.router);
        return result;
    };
    EXPECT_THAT(names(Pooling::Heads), ElementsAre("layers.0.self.v", "layers.1.self.v", "layers.2.self.v"));
    EXPECT_THAT(names(Pooling::Layers), ElementsAre("layers.{0,1,2}.self.v.h0", "layers.{0,1,2}.self.v.h1"));
    EXPECT_THAT(names(Pooling::Repeats),
                ElementsAre("layers.{0,1}.self.v.h0", "layers.{0,1}.self.v.h1", "layers.2.self.v.h0", "layers.2.self.v.h1"));
    const RouterTable table = routerTable(counts, tablePlans(counts, all, Pooling::Layers)[0], rows);
    EXPECT_EQ(table.positions, 18);
    EXPECT_THAT(table.rowCounts, ElementsAre(9, 6, 3));
    EXPECT_EQ(table.pairs.size(), 5U);
    EXPECT_EQ(table.pairs[0].count, 6);
    EXPECT_NEAR(table.expectedOf(0, 0), 4.5, 1e-9);
    EXPECT_EQ(table.groups.of(0)[0].count, 3);
    EXPECT_EQ(table.groups.documents[0], 1); // the same documents
    EXPECT_EQ(table.tags[0].positions, 12);
    EXPECT_EQ(table.members.size(), 3U);
}

TEST(Tables, RoutersThatDifferAreNotPooled)
{
    Counts counts = smallCounts();
    counts.routers[2].router.experts = 3;
    const std::array<std::size_t, 2> chosen{0, 2};
    EXPECT_THROW(tablePlans(counts, chosen, Pooling::Layers), Error);
    EXPECT_EQ(tablePlans(counts, chosen, Pooling::None).size(), 2U);
}

TEST(Tables, FoldedRowsAddUp)
{
    const Counts counts = smallCounts();
    const std::array<std::size_t, 1> chosen{0};
    const RowMap rows = rowMap(counts, 0, RowUnit::Pieces, LetterCase::Folded);
    ASSERT_EQ(rows.names->size(), 2U);
    EXPECT_EQ((*rows.names)[0].text, "\u2581a");
    EXPECT_EQ((*rows.names)[0].id, std::nullopt);
    EXPECT_EQ((*rows.names)[1].id, 11);
    const RouterTable table = routerTable(counts, tablePlans(counts, chosen, Pooling::None)[0], rows);
    EXPECT_THAT(table.rowCounts, ElementsAre(5, 1));
    ASSERT_EQ(table.pairs.size(), 3U);
    EXPECT_EQ(table.pairs[0].count, 3); // 2 + 1
    EXPECT_EQ(table.pairs[1].count, 2);
    EXPECT_NEAR(table.pairs[0].gateMass, 1.5, 1e-9);
    EXPECT_NEAR(table.expectedOf(0, 1), 2.5, 1e-9);
    EXPECT_EQ(table.groups.of(0).size(), 2U);
    EXPECT_EQ(table.groups.of(0)[0].count, 2);
}

TEST(Tables, WordsHaveNoDocumentsOfTheirOwn)
{
    Counts counts = smallCounts();
    const std::array<std::size_t, 1> chosen{0};
    const RowMap rows = rowMap(counts, 0, RowUnit::Words, LetterCase::Kept);
    const RouterTable table = routerTable(counts, tablePlans(counts, chosen, Pooling::None)[0], rows);
    EXPECT_EQ(table.positions, 5); // a position between words counts for none
    EXPECT_THAT(table.selections, ElementsAre(3, 2));
    EXPECT_TRUE(table.expected.empty());
    EXPECT_TRUE(table.groups.empty());
    EXPECT_EQ(table.pairs[0].early, -1);
    EXPECT_EQ((*table.rows)[0].id, std::nullopt);
    counts.basis.words = false;
    EXPECT_THROW(rowMap(counts, 0, RowUnit::Words, LetterCase::Kept), Error);
}

} // namespace
} // namespace headscope::core
