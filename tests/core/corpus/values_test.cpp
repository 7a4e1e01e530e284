// SPDX-License-Identifier: GPL-3.0-or-later
// The plain values of counts: sums, hashes, bins.
#include "core/corpus/cell_counts.h"
#include "core/corpus/counts.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

namespace headscope::core {
namespace {

TEST(FixedSums, Steps)
{
    EXPECT_EQ(FixedSums::steps(1), std::uint64_t{1} << 32);
    EXPECT_EQ(FixedSums::steps(0.5), std::uint64_t{1} << 31);
    EXPECT_EQ(FixedSums::steps(0x1p-33), 1U);
    EXPECT_EQ(FixedSums::steps(0x1p-34), 0U);
}

TEST(FixedSums, CarriesIntoTheUpperHalf)
{
    FixedSums sums(2);
    sums.add(1, ~std::uint64_t{0});
    EXPECT_TRUE(sums.high().empty());
    sums.add(1, 2);
    EXPECT_EQ(sums.low(1), 1U);
    EXPECT_EQ(sums.high(1), 1U);
    EXPECT_EQ(sums.high(0), 0U);
    EXPECT_DOUBLE_EQ(sums.value(1), 0x1p32 + 0x1p-32);
    FixedSums twice(1);
    twice.add(0, sums, 1);
    twice.add(0, sums, 1);
    EXPECT_EQ(twice.low(0), 2U);
    EXPECT_EQ(twice.high(0), 2U);
}

TEST(CorpusHash, AddsWithCarry)
{
    const CorpusHash a{~std::uint64_t{0}, ~std::uint64_t{0}, 5, 0};
    const CorpusHash b{1, 0, 0, 7};
    EXPECT_EQ(a + b, (CorpusHash{0, 0, 6, 7}));
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ(corpusHashFromString(toString(a)), a);
    EXPECT_FALSE(corpusHashFromString(std::string(63, '0')).has_value());
    EXPECT_FALSE(corpusHashFromString(std::string(64, 'g')).has_value());
}

TEST(Bins, OfPositions)
{
    EXPECT_EQ(positionBin(0), 0U);
    EXPECT_EQ(positionBin(1), 1U);
    EXPECT_EQ(positionBin(2), 2U);
    EXPECT_EQ(positionBin(3), 2U);
    EXPECT_EQ(positionBin(4), 3U);
    EXPECT_EQ(positionBin(255), 8U);
}

TEST(Bins, OfMargins)
{
    for (const float margin : {0.F, 1e-6F, 0.1F, 1.F, 3.7F, 100.F}) {
        EXPECT_LE(marginEdge(marginBin(margin)), margin);
        EXPECT_GT(marginEdge(marginBin(margin) + 1), margin);
    }
    std::vector<std::uint64_t> margins(marginBins);
    EXPECT_FALSE(marginPercentile(margins, 0.01).has_value());
    margins[marginBin(0.5F)] = 2;
    margins[marginBin(2.F)] = 198;
    EXPECT_EQ(marginPercentile(margins, 0.005), 0.5F);
    EXPECT_EQ(marginPercentile(margins, 0.5), 2.F);
}

TEST(CellCounts, WholeAndSparseAgree)
{
    std::mt19937_64 random(1);
    CellCounts whole(5000, 5000);
    CellCounts sparse(5000, 0);
    std::map<std::uint64_t, std::uint32_t> expected;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t cell = random() % 70 * (random() % 70);
        whole.add(cell);
        sparse.add(cell);
        ++expected[cell];
    }
    const std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(expected.begin(), expected.end());
    EXPECT_EQ(whole.sorted(), sorted);
    EXPECT_EQ(sparse.sorted(), sorted);
}

} // namespace
} // namespace headscope::core
