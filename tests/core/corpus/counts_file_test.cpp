// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/counts_file.h"
#include "core/corpus/counts_metadata.h"
#include "core/corpus/counts_tensors.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

class CountsFile : public ::testing::Test
{
protected:
    CountsFile()
    {
        CountSettings settings;
        settings.corpus = {m_folder.file("text", someText(4))};
        settings.documents = {DocumentSplit::Kind::Blank, {}};
        settings.tags = m_folder.file("tags", "0\t500\t=tag\n");
        settings.words = true;
        settings.window = 20;
        settings.groups = 3;
        settings.frequentTokens = 5;
        settings.fingerprint = std::string(64, 'f');
        m_counts = countCorpus(*fixtureModel("moa_mode_moa"), settings); // softmax gates: everything there is
        writeCounts(m_path, m_counts);
    }
    /// What is said when something in the counts cannot be.
    template<typename Change>
    std::string refusal(Change change) const
    {
        Counts changed = m_counts;
        change(changed);
        writeCounts(m_folder.file("changed"), changed);
        return sentenceOf([&] { readCounts(m_folder.file("changed")); });
    }

    CorpusFolder m_folder;
    std::filesystem::path m_path = m_folder.file("a.counts");
    Counts m_counts;
};

TEST_F(CountsFile, WhatIsReadIsWhatWasWritten)
{
    const Counts read = readCounts(m_path);
    EXPECT_EQ(read.basis.tags, m_counts.basis.tags);
    EXPECT_EQ(read.basis.documents, "blank");
    EXPECT_EQ(read.streams[0].tokens, m_counts.streams[0].tokens);
    EXPECT_EQ(read.streams[0].words, m_counts.streams[0].words);
    ASSERT_EQ(read.routers.size(), m_counts.routers.size());
    for (std::size_t i = 0; i < read.routers.size(); ++i) {
        EXPECT_EQ(read.routers[i].router.legend(), m_counts.routers[i].router.legend());
        EXPECT_EQ(read.routers[i].pairs, m_counts.routers[i].pairs);
        EXPECT_EQ(read.routers[i].expected, m_counts.routers[i].expected);
        EXPECT_EQ(read.routers[i].previous, m_counts.routers[i].previous);
        EXPECT_EQ(read.routers[i].probabilities, m_counts.routers[i].probabilities);
        EXPECT_GT(read.routers[i].probabilities.size(), 0U);
    }
    writeCounts(m_folder.file("again"), read);
    EXPECT_EQ(bytesOf(m_folder.file("again")), bytesOf(m_path));
    EXPECT_THAT(bytesOf(m_path), ::testing::Not(HasSubstr(m_folder.path().string()))) << "no path of this machine";
}

TEST_F(CountsFile, LargeNumbersSurvive)
{
    TensorPlan plan;
    const std::vector<std::uint64_t> large{1, std::uint64_t{1} << 40};
    FixedSums sums(1);
    sums.add(0, ~std::uint64_t{0});
    sums.add(0, 5);
    plan.counts("large", {2}, large);
    plan.sums("sums", {1}, sums);
    plan.strings("strings", {"", std::string("a\0\xff", 3), "b"});
    std::move(plan).write(m_folder.file("large"), {}, {});
    TensorSet read(m_folder.file("large"));
    EXPECT_EQ(read.counts("large", {2}), large);
    EXPECT_EQ(read.sums("sums", {1}), sums);
    EXPECT_EQ(read.strings("strings"), (std::vector<std::string>{"", std::string("a\0\xff", 3), "b"}));
    read.requireAllRead();
}

TEST_F(CountsFile, WhatContradictsItselfIsRefused)
{
    EXPECT_EQ(refusal([](Counts&) {}), "");
    EXPECT_THAT(refusal([](Counts& c) { c.streams[0].tokens.ids[1] = c.streams[0].tokens.ids[0]; }), HasSubstr("not sorted"));
    EXPECT_THAT(refusal([](Counts& c) { ++c.streams[0].tokens.count[0]; }), HasSubstr("do not add up"));
    EXPECT_THAT(refusal([](Counts& c) { ++c.routers[0].pairs.count[0]; }), HasSubstr("do not add up"));
    EXPECT_THAT(refusal([](Counts& c) { c.routers[0].pairs.row[0] = 4000000000U; }), HasSubstr("do not exist"));
    EXPECT_THAT(refusal([](Counts& c) { c.routers[0].pairs.expert[0] = 9999; }), HasSubstr("do not exist"));
    EXPECT_THAT(refusal([](Counts& c) { ++c.routers[0].selections[0]; }), HasSubstr("do not add up"));
    EXPECT_THAT(refusal([](Counts& c) { c.routers[0].previous.pair[0] = 4000000000U; }), HasSubstr("previous"));
    EXPECT_THAT(refusal([](Counts& c) { c.routers[0].groups.kind[0] = 3; }), HasSubstr("group"));
    EXPECT_THAT(refusal([](Counts& c) { c.routers[0].positions.count[0] = 1000000; }), HasSubstr("position"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.frequent[1] = c.basis.frequent[0]; }), HasSubstr("frequent"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.tags = {"", "b", "a"}; c.basis.tags.pop_back(); c.basis.tags[0] = "a"; }), HasSubstr("tags"));
    EXPECT_THAT(refusal([](Counts& c) { ++c.routers[0].words.count[0]; }), HasSubstr("words"));
    EXPECT_THAT(refusal([](Counts& c) { c.streams[0].corpus.tokens = 1; }), HasSubstr("more positions than"));
    EXPECT_THAT(refusal([](Counts& c) { c.parts = {3, {2, 2}}; }), HasSubstr("parts"));
    EXPECT_THAT(refusal([](Counts& c) { c.parts = {3, {1, 2, 3}}; }), HasSubstr("parts"));
}

TEST_F(CountsFile, OtherFilesAreNamed)
{
    EXPECT_THAT(sentenceOf([&] { readCounts(m_folder.file("absent")); }), HasSubstr("does not exist"));
    EXPECT_THAT(sentenceOf([&] { readCounts(m_folder.file("empty", "")); }), HasSubstr("empty"));
    TensorPlan plan;
    std::move(plan).write(m_folder.file("other.safetensors"), {{"format", "pt"}}, {});
    EXPECT_THAT(sentenceOf([&] { readCounts(m_folder.file("other.safetensors")); }), HasSubstr("holds something else"));
    auto metadata = countsMetadata(m_counts);
    metadata["version"] = "2";
    planCounts(m_counts).write(m_folder.file("newer"), metadata, {});
    EXPECT_THAT(sentenceOf([&] { readCounts(m_folder.file("newer")); }), HasSubstr("version"));
}

TEST_F(CountsFile, DamageIsAnErrorAndNothingElse)
{
    const std::string bytes = bytesOf(m_path);
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    std::mt19937_64 random(5);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string damaged = bytes;
        if (i % 10 == 0)
            damaged.resize(random() % damaged.size());
        else // half of them in the header
            damaged[random() % (i % 2 == 0 ? header + 8 : damaged.size())] = static_cast<char>(random());
        const auto path = m_folder.file("damaged", damaged);
        try {
            readCounts(path);
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 130);
}

} // namespace
} // namespace headscope::core::testing
