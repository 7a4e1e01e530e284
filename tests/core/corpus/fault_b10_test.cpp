// SPDX-License-Identifier: GPL-3.0-or-later
// Counts files are checked: every tensor of one is changed in turn, and refused by name.
#include "core/corpus/check_sums.h"
#include "core/corpus/counts_file.h"
#include "core/corpus/merge_counts.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <functional>

namespace headscope::core::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FaultB10 : public ::testing::TestWithParam<const char*>
{
protected:
    void SetUp() override
    {
        CountSettings settings;
        settings.corpus = {m_folder.file("text", someText(6))};
        settings.documents = {DocumentSplit::Kind::Blank, {}};
        settings.tags = m_folder.file("tags", "0\t300\t=tag\n");
        settings.words = true;
        settings.window = 20;
        settings.groups = 3;
        settings.frequentTokens = 5;
        settings.fingerprint = std::string(64, 'f');
        m_counts = countCorpus(*fixtureModel(GetParam()), settings);
    }
    std::string refusal(const std::function<void(Counts&)>& change) const
    {
        Counts changed = m_counts;
        change(changed);
        writeCounts(m_folder.file("changed"), changed);
        return sentenceOf([&] { readCounts(m_folder.file("changed")); });
    }

    CorpusFolder m_folder;
    Counts m_counts;
};

TEST_P(FaultB10, WhatWasCountedIsAccepted)
{
    EXPECT_EQ(refusal([](Counts&) {}), "");
    EXPECT_EQ(wrongSumIn(m_counts, LastDocument::Ended), std::nullopt);
}

/// The last number of every tensor grows by what no rounding allows.
TEST_P(FaultB10, EveryTensorThatIsChangedIsRefused)
{
    writeCounts(m_folder.file("whole"), m_counts);
    const std::string bytes = bytesOf(m_folder.file("whole"));
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto tensors = nlohmann::json::parse(bytes.substr(sizeof header, header));
    int changed = 0;
    for (const auto& [name, tensor] : tensors.items()) {
        if (name == "__metadata__" || tensor["data_offsets"][0] == tensor["data_offsets"][1])
            continue;
        // Pieces and words may be any bytes, and of log Σ exp only a bound is known.
        const bool free =
            name.ends_with("words.bytes") || name.ends_with("pieces.bytes") || name.ends_with("squaredLogSumExp");
        const std::size_t end = sizeof header + header + tensor["data_offsets"][1].get<std::size_t>();
        const std::size_t size = tensor["dtype"] == "U8" ? 1 : tensor["dtype"] == "U64" ? 8 : 4;
        std::string damaged = bytes;
        if (free)
            continue;
        if (size == 8)
            damaged[end - 3] = static_cast<char>(damaged[end - 3] ^ 0x01); // 2⁴⁰ steps are 256
        else
            damaged[end - size] = static_cast<char>(damaged[end - size] ^ 0xc1);
        ++changed;
        const auto path = m_folder.file("damaged", damaged);
        EXPECT_THAT(sentenceOf([&] { readCounts(path); }), HasSubstr("is not a valid counts file")) << name;
    }
    EXPECT_GT(changed, 40);
}

TEST_P(FaultB10, TensorAndRowAreNamed)
{
    const std::string router = m_counts.routers[0].router.address.toString();
    const auto expect = [&](const std::function<void(RouterCounts&)>& change, const std::string& tensor,
                            const std::string& what) {
        const std::string sentence = refusal([&](Counts& c) { change(c.routers[0]); });
        EXPECT_THAT(sentence, HasSubstr(router + "." + tensor)) << what;
        EXPECT_THAT(sentence, AnyOf(HasSubstr(" row "), HasSubstr(" expert "), HasSubstr("add up"), HasSubstr("in sum")))
            << what;
    };
    expect([](RouterCounts& r) { r.pairs.early[2] = r.pairs.count[2] + 1; }, "pairs.early", "early beyond the count");
    expect([](RouterCounts& r) { r.pairs.gates.add(1, (r.pairs.count[1] + 1) << 32); }, "pairs.gates",
           "gates beyond the bound");
    expect([](RouterCounts& r) { r.gates.add(0, 1); }, "gates", "gates that are not those of the pairs");
    expect([](RouterCounts& r) { r.expected.add(3, std::uint64_t{1} << 30); }, "expected", "an expected value too large");
    expect(
        [](RouterCounts& r) { // moved between experts: rows still add up
            r.expected.add(0, std::uint64_t{1} << 34);
            FixedSums less(r.expected.size());
            for (std::size_t i = 0; i < less.size(); ++i)
                less.add(i, i == 1 ? 0 : r.expected.low(i));
            r.expected = less;
        },
        "expected", "expected values that are not those of the experts");
    expect([](RouterCounts& r) { ++r.together[1]; }, "together", "experts that are not together with each other");
    expect([](RouterCounts& r) { ++r.tags[0]; }, "tags", "choices of a tag");
    expect([](RouterCounts& r) { r.tagGates.add(0, 1); }, "tags.gates", "gates of a tag");
    expect([](RouterCounts& r) { ++r.groupSelections[0]; }, "groups.selections", "choices of a group");
    expect([](RouterCounts& r) { --r.previous.count[0]; }, "previous", "positions without a class");
    expect([](RouterCounts& r) { --r.positions.count[0]; }, "positions", "positions without a place");
    if (!m_counts.routers[0].margins.empty())
        expect([](RouterCounts& r) { ++r.margins[7]; }, "margins", "margins of more positions");
    if (m_counts.routers[0].probabilities.size() > 0) {
        expect([](RouterCounts& r) { r.probabilities.add(0, std::uint64_t{1} << 33); }, "probabilities",
               "more than 1 in sum");
        expect([](RouterCounts& r) { r.squaredLogSumExp = FixedSums({0}, {1U << 20}); }, "squaredLogSumExp",
               "logits out of range");
    }
    EXPECT_THAT(refusal([](Counts& c) { c.streams[0].tokens.early[0] = c.streams[0].tokens.count[0] + 1; }),
                HasSubstr("stream.text.tokens.early"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.tags[1] = "\xff"; }), HasSubstr("not UTF-8"));
    if (!m_counts.joint.empty()) {
        EXPECT_THAT(refusal([](Counts& c) { ++c.joint[0].together[0]; }), HasSubstr(" x "));
    }
    if (!m_counts.pooled.empty()) {
        EXPECT_THAT(refusal([](Counts& c) { ++c.pooled[0].positions[0]; }), HasSubstr("pools.0.positions"));
    }
}

INSTANTIATE_TEST_SUITE_P(Models, FaultB10, ::testing::Values("moa_mode_moa", "switchhead_xl"));

/// The pools of counts beside what the windows' traces say.
TEST(FaultB12, RoutersThatChooseAlikeAreCounted)
{
    CorpusFolder folder;
    CountSettings settings;
    settings.corpus = {folder.file("text", someText(5))};
    settings.documents = {DocumentSplit::Kind::Blank, {}};
    settings.window = 20;
    settings.groups = 4;
    settings.fingerprint = std::string(64, 'f');
    const Counts whole = countCorpus(*fixtureModel("switchhead_xl"), settings);
    ASSERT_FALSE(whole.pooled.empty());
    bool heads = false, layers = false;
    for (const PooledCounts& pool : whole.pooled) {
        const Router& first = whole.routers[pool.members.front()].router;
        const Router& last = whole.routers[pool.members.back()].router;
        heads = heads || first.address.wholeSite() == last.address.wholeSite();
        layers = layers || first.address.depth != last.address.depth;
        if (pool.members.size() != 2)
            continue;
        // Of two routers, Σ_e positions at which both choose e is what their joint choices have in common.
        for (std::size_t e = 0; e < static_cast<std::size_t>(first.experts); ++e) {
            const std::uint64_t once = pool.positions[2 * e], twice = pool.positions[2 * e + 1];
            EXPECT_EQ(once + 2 * twice,
                      whole.routers[pool.members[0]].selections[e] + whole.routers[pool.members[1]].selections[e]);
            EXPECT_LE(twice,
                      std::min(whole.routers[pool.members[0]].selections[e], whole.routers[pool.members[1]].selections[e]));
        }
    }
    EXPECT_TRUE(heads);
    EXPECT_TRUE(layers);
    // Parts add up to the whole, and a file that does not know pools takes them from what it is merged with.
    std::vector<NamedCounts> parts;
    for (int part = 1; part <= 2; ++part) {
        settings.part = part;
        settings.parts = 2;
        parts.push_back({"part", countCorpus(*fixtureModel("switchhead_xl"), settings)});
    }
    EXPECT_EQ(mergeCounts(parts).pooled, whole.pooled);
    parts[1].counts.pooled.clear();
    EXPECT_THAT(mergeCounts(parts).pooled, ::testing::IsEmpty());
}

} // namespace
} // namespace headscope::core::testing
