// SPDX-License-Identifier: GPL-3.0-or-later
// The pass over a corpus: what it counts, and what it must not depend on.
#include "core/checkpoint/sha256.h"
#include "core/corpus/count_corpus.h"
#include "core/corpus/counts_file.h"
#include "core/corpus/merge_counts.h"
#include "core/trace/model_info.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>
#include <thread>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

class Counting : public ::testing::Test
{
protected:
    CountSettings settings() const
    {
        CountSettings settings;
        settings.corpus = {m_corpus};
        settings.documents = {DocumentSplit::Kind::Blank, {}};
        settings.tags = m_tags;
        settings.words = true;
        settings.skipFirst = 2;
        settings.window = 24;
        settings.groups = 4;
        settings.frequentTokens = 6;
        settings.fingerprint = std::string(64, '0');
        settings.threads = 1;
        settings.batch = 1;
        return settings;
    }
    std::string fileOf(const Counts& counts) const
    {
        writeCounts(m_folder.file("out.counts"), counts);
        return bytesOf(m_folder.file("out.counts"));
    }
    std::string count(const Model& model, const CountSettings& how) const { return fileOf(countCorpus(model, how)); }

    CorpusFolder m_folder;
    std::filesystem::path m_corpus = m_folder.file("text.txt", someText(8));
    std::filesystem::path m_tags = m_folder.file("tags.tsv", "0\t700\tfirst\n700\t1300\tsecond\n");
};

/// n(·) of one router as plain maps, counted from traces of windows that are cut here.
struct Plain {
    std::map<std::pair<TokenId, int>, std::uint64_t> pairs;
    std::map<std::pair<TokenId, int>, double> gates;
    std::map<std::pair<TokenId, int>, double> expected;
    std::map<std::pair<TokenId, int>, std::uint64_t> early;
    std::map<std::tuple<TokenId, int, std::uint32_t>, std::uint64_t> bins, groups;
    std::map<std::tuple<TokenId, int, TokenId>, std::uint64_t> previous; // -1: the beginning
    std::map<std::pair<int, int>, std::uint64_t> together;
    std::map<TokenId, std::uint64_t> tokens;
};

Plain plainly(const Model& model, const RouterAddress& address, const std::vector<std::string>& documents, const CountSettings& settings)
{
    Plain plain;
    const bool remembers = model.info()->visibility.segmentsBack > 0;
    for (std::size_t d = 0; d < documents.size(); ++d) {
        const auto tokens = model.tokenize(documents[d] + model.info()->textPolicy.documentSeparator);
        const auto ids = tokens.ids();
        const auto document = model.trace(tokens, {.maps = false, .loss = false});
        Sha256 digest;
        digest.add(std::as_bytes(std::span(documents[d])));
        const std::uint32_t group = digest.finish()[0] % 4; // 4 groups: the lowest bits of the lowest byte
        std::map<TokenId, std::uint64_t> inDocument;
        std::map<int, std::uint64_t> chosenInDocument;
        std::uint64_t positions = 0;
        const auto length = static_cast<std::size_t>(settings.window);
        for (std::size_t begin = 0; begin < ids.size(); begin += length) {
            const std::vector<TokenId> window(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                              ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), begin + length)));
            const auto trace = remembers ? document : model.trace(model.tokensFromIds(window), {});
            const std::size_t offset = remembers ? begin : 0;
            const SiteRouting& site = *trace->site(address);
            const int head = site.headOf(address);
            for (std::size_t i = static_cast<std::size_t>(settings.skipFirst); i < window.size(); ++i) {
                if (tokens.tokens[begin + i].span.begin >= documents[d].size())
                    continue; // of the separator
                ++inDocument[window[i]];
                ++plain.tokens[window[i]];
                ++positions;
                for (int slot = 0; slot < site.router.chosen; ++slot) {
                    const auto at = site.slot(static_cast<std::int64_t>(offset + i), head, slot);
                    const int e = site.experts[at];
                    ++plain.pairs[{window[i], e}];
                    plain.gates[{window[i], e}] += site.gates[at];
                    plain.early[{window[i], e}] += i < 8 ? 1 : 0;
                    ++plain.bins[{window[i], e, i == 0 ? 0 : static_cast<std::uint32_t>(std::log2(i)) + 1}];
                    ++plain.groups[{window[i], e, group}];
                    ++plain.previous[{window[i], e, i == 0 ? -1 : window[i - 1]}];
                    for (int other = 0; other < site.router.chosen; ++other)
                        ++plain.together[{e, site.experts[site.slot(static_cast<std::int64_t>(offset + i), head, other)]}];
                    ++chosenInDocument[e];
                }
            }
        }
        for (const auto& [t, n] : inDocument)
            for (const auto& [e, m] : chosenInDocument)
                plain.expected[{t, e}] += static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(positions);
    }
    return plain;
}

void expectPairs(const RouterCounts& counted, const TokenTable& tokens, const Plain& plain)
{
    ASSERT_EQ(counted.pairs.size(), plain.pairs.size());
    for (std::size_t i = 0; i < counted.pairs.size(); ++i) {
        const std::pair key{tokens.ids[counted.pairs.row[i]], static_cast<int>(counted.pairs.expert[i])};
        EXPECT_EQ(counted.pairs.count[i], plain.pairs.at(key));
        EXPECT_EQ(counted.pairs.early[i], plain.early.at(key));
        EXPECT_NEAR(counted.pairs.gates.value(i), plain.gates.at(key), 1e-5);
    }
    for (std::size_t row = 0; row < tokens.size(); ++row)
        for (int e = 0; e < counted.router.experts; ++e) {
            const auto found = plain.expected.find({tokens.ids[row], e});
            EXPECT_NEAR(counted.expected.value(row * static_cast<std::size_t>(counted.router.experts) + static_cast<std::size_t>(e)),
                        found == plain.expected.end() ? 0 : found->second, 1e-7);
        }
    for (const auto& [key, n] : plain.together)
        EXPECT_EQ(counted.together[static_cast<std::size_t>(key.first * counted.router.experts + key.second)], n);
}

void expectClasses(const RouterCounts& counted, const Counts& counts, const Plain& plain)
{
    const TokenTable& tokens = counts.streams[0].tokens;
    const auto& frequent = counts.basis.frequent;
    const auto key = [&](std::uint32_t pair) { return std::pair(tokens.ids[counted.pairs.row[pair]], static_cast<int>(counted.pairs.expert[pair])); };
    const auto isFrequent = [&](TokenId id) { return std::find(frequent.begin(), frequent.end(), id) != frequent.end(); };

    ASSERT_EQ(counted.groups.size(), plain.groups.size());
    for (std::size_t i = 0; i < counted.groups.size(); ++i) {
        const auto [t, e] = key(counted.groups.pair[i]);
        EXPECT_EQ(counted.groups.count[i], plain.groups.at({t, e, counted.groups.kind[i]}));
    }
    std::size_t expected = 0;
    for (const auto& [entry, n] : plain.bins)
        expected += isFrequent(std::get<0>(entry)) ? 1 : 0;
    ASSERT_EQ(counted.positions.size(), expected);
    for (std::size_t i = 0; i < counted.positions.size(); ++i) {
        const auto [t, e] = key(counted.positions.pair[i]);
        EXPECT_EQ(counted.positions.count[i], plain.bins.at({t, e, counted.positions.kind[i]}));
    }
    std::map<std::tuple<TokenId, int, std::uint32_t>, std::uint64_t> previous;
    for (const auto& [entry, n] : plain.previous) {
        const auto [t, e, before] = entry;
        if (!isFrequent(t))
            continue;
        const auto found = std::find(frequent.begin(), frequent.end(), before);
        previous[{t, e, before < 0 ? static_cast<std::uint32_t>(frequent.size()) + 1 : static_cast<std::uint32_t>(found - frequent.begin())}] += n;
    }
    ASSERT_EQ(counted.previous.size(), previous.size());
    for (std::size_t i = 0; i < counted.previous.size(); ++i) {
        const auto [t, e] = key(counted.previous.pair[i]);
        EXPECT_EQ(counted.previous.count[i], previous.at({t, e, counted.previous.kind[i]}));
    }
}

TEST_F(Counting, CountsWhatTracesSay)
{
    for (const char* name : {"switchhead_xl", "moa_mode_moa", "switchall_xl", "moeut_abab_odd_head", "switchhead_softmax_sel"}) {
        SCOPED_TRACE(name);
        const auto model = fixtureModel(name);
        const auto documents = documentsIn({m_corpus}, settings().documents);
        const Counts counts = countCorpus(*model, settings());
        const StreamCounts& stream = counts.streams.at(0);
        EXPECT_EQ(stream.corpus.documents, documents.size());
        std::size_t checked = 0;
        for (const RouterCounts& counted : counts.routers) {
            if (checked++ % 3 != 0) // every third router: other layers, sites and heads
                continue;
            SCOPED_TRACE(counted.router.address.toString());
            const Plain plain = plainly(*model, counted.router.address, documents, settings());
            ASSERT_EQ(stream.tokens.size(), plain.tokens.size());
            for (std::size_t row = 0; row < stream.tokens.size(); ++row) {
                EXPECT_EQ(stream.tokens.count[row], plain.tokens.at(stream.tokens.ids[row]));
                EXPECT_EQ(stream.tokens.pieces[row], model->tokenizer()->piece(stream.tokens.ids[row]));
            }
            expectPairs(counted, stream.tokens, plain);
            expectClasses(counted, counts, plain);
        }
    }
}

TEST_F(Counting, SharedDecisionsCountOnce)
{
    const auto model = fixtureModel("switchhead_shared_experts_same_sel");
    const Counts counts = countCorpus(*model, settings());
    std::size_t deciding = 0;
    for (const Router& router : model->info()->routers) {
        deciding += router.sharedWith ? 0 : 1;
        EXPECT_EQ(counts.find(router.address) == nullptr, router.sharedWith.has_value());
    }
    EXPECT_EQ(counts.routers.size(), deciding);
    EXPECT_LT(deciding, model->info()->routers.size());
}

TEST_F(Counting, ValueAndOutputOfOneHead)
{
    const auto model = fixtureModel("switchhead_xl");
    const Counts counts = countCorpus(*model, settings());
    ASSERT_FALSE(counts.joint.empty());
    for (const JointCounts& joint : counts.joint) {
        const RouterCounts& v = counts.routers.at(joint.source);
        const RouterCounts& o = counts.routers.at(joint.destination);
        EXPECT_EQ(v.router.address.head, o.router.address.head);
        EXPECT_EQ(v.router.address.site, Site::V);
        EXPECT_EQ(o.router.address.site, Site::O);
        // Every choice of v meets k choices of o.
        for (int e = 0; e < v.router.experts; ++e) {
            std::uint64_t sum = 0;
            for (int f = 0; f < o.router.experts; ++f)
                sum += joint.together.at(static_cast<std::size_t>(e * o.router.experts + f));
            EXPECT_EQ(sum, v.selections[static_cast<std::size_t>(e)] * static_cast<std::uint64_t>(o.router.chosen));
        }
    }
}

TEST_F(Counting, TagsAndWordsAddUp)
{
    const auto model = fixtureModel("switchhead_xl");
    const Counts counts = countCorpus(*model, settings());
    EXPECT_THAT(counts.basis.tags, ::testing::ElementsAre("", "first", "second"));
    const StreamCounts& stream = counts.streams[0];
    for (const std::uint64_t positions : stream.tagPositions)
        EXPECT_GT(positions, 0U);
    const auto river = std::find(stream.words.words.begin(), stream.words.words.end(), "river");
    ASSERT_NE(river, stream.words.words.end());
    EXPECT_EQ(std::find(stream.words.words.begin(), stream.words.words.end(), "far?"), stream.words.words.end());
    for (const RouterCounts& counted : counts.routers) {
        const auto k = static_cast<std::uint64_t>(counted.router.chosen);
        for (std::size_t tag = 0; tag < stream.tagPositions.size(); ++tag) {
            std::uint64_t sum = 0;
            for (std::size_t e = 0; e < counted.selections.size(); ++e)
                sum += counted.tags[tag * counted.selections.size() + e];
            EXPECT_EQ(sum, k * stream.tagPositions[tag]);
        }
        const auto row = static_cast<std::size_t>(river - stream.words.words.begin());
        std::uint64_t sum = 0;
        for (auto [i, last] = counted.words.ofRow(row); i < last; ++i)
            sum += counted.words.count[i];
        EXPECT_EQ(sum, k * stream.words.count[row]);
    }
}

TEST_F(Counting, ThreadsAndBatchesMakeNoDifference)
{
    const auto model = fixtureModel("switchhead_xl");
    const std::string one = count(*model, settings());
    for (const auto& [threads, batch] : {std::pair{1, 16}, std::pair{2, 1}, std::pair{2, 16}, std::pair{5, 3}}) {
        CountSettings other = settings();
        other.threads = threads;
        other.batch = batch;
        EXPECT_EQ(count(*model, other), one) << threads << " threads, batch " << batch;
    }
}

TEST_F(Counting, PartsGiveTheWhole)
{
    for (const char* name : {"switchhead_xl", "moa_mode_moa"}) {
        const auto model = fixtureModel(name);
        const std::string whole = count(*model, settings());
        std::vector<NamedCounts> parts;
        for (const int part : {3, 1, 5, 2, 4}) {
            CountSettings some = settings();
            some.part = part;
            some.parts = 5;
            const auto path = m_folder.file("part" + std::to_string(part));
            writeCounts(path, countCorpus(*model, some));
            parts.push_back({"part " + std::to_string(part), readCounts(path)});
        }
        EXPECT_EQ(fileOf(mergeCounts(parts)), whole) << name;
        // Some first, then the rest.
        const Counts some = mergeCounts(std::span(parts).first(3));
        EXPECT_EQ(some.parts, (CountedParts{5, {1, 3, 5}}));
        const std::vector<NamedCounts> rest{{"some", some}, parts[3], parts[4]};
        EXPECT_EQ(fileOf(mergeCounts(rest)), whole) << name;
    }
}

TEST_F(Counting, InterruptedAtAnyPlaceItGivesTheSame)
{
    const auto model = fixtureModel("switchhead_xl");
    CountSettings how = settings();
    how.documents = {}; // one document, so that the interruption falls into it
    how.threads = 2;
    how.batch = 2;
    const std::string whole = count(*model, how);
    how.partial = m_folder.file("partial");
    how.secondsBetweenSaves = 0;
    std::mt19937 random(7);
    int interruptions = 0;
    for (int run = 0; run < 40; ++run) {
        std::stop_source stop;
        CountHooks hooks;
        hooks.stop = stop.get_token();
        // Between two windows, somewhere.
        unsigned left = random() % 5;
        hooks.pause = [&] {
            if (left-- == 0)
                stop.request_stop();
            return false;
        };
        try {
            const std::string bytes = fileOf(countCorpus(*model, how, hooks));
            EXPECT_EQ(bytes, whole);
            break;
        } catch (const Cancelled&) {
            ++interruptions;
            how.resume = std::filesystem::exists(how.partial);
        }
    }
    EXPECT_GE(interruptions, 3);
    how.documents = {DocumentSplit::Kind::Blank, {}};
    EXPECT_THAT(sentenceOf([&] { countCorpus(*model, how); }), HasSubstr("another corpus"));
}

TEST_F(Counting, ResumingAnotherCountIsRefused)
{
    const auto model = fixtureModel("switchhead_xl");
    CountSettings how = settings();
    how.partial = m_folder.file("partial");
    how.secondsBetweenSaves = 0;
    countCorpus(*model, how);
    how.resume = true;
    const auto refusal = [&](const CountSettings& other) { return sentenceOf([&] { countCorpus(*model, other); }); };
    EXPECT_EQ(refusal(how), "");
    CountSettings other = how;
    other.fingerprint = std::string(64, '1');
    EXPECT_THAT(refusal(other), HasSubstr("checkpoint"));
    other = how;
    other.window = 16;
    EXPECT_THAT(refusal(other), HasSubstr("--window"));
    other = how;
    other.part = other.parts = 2;
    EXPECT_THAT(refusal(other), HasSubstr("part"));
    other = how;
    other.tags = m_folder.file("other.tsv", "0\t600\tfirst\n700\t1300\tsecond\n");
    EXPECT_THAT(refusal(other), HasSubstr("tags"));
    other = how;
    other.partial = m_folder.file("absent");
    EXPECT_THAT(refusal(other), HasSubstr("absent"));
    m_folder.file("text.txt", someText(8) + "more");
    EXPECT_THAT(refusal(how), HasSubstr("corpus"));
}

TEST_F(Counting, CanBeStoppedPausedAndAsked)
{
    const auto model = fixtureModel("switchhead_xl");
    std::stop_source stop;
    CountHooks hooks;
    hooks.stop = stop.get_token();
    int asked = 0;
    int pauses = 0;
    std::vector<Counts> partial;
    hooks.pause = [&] { return ++pauses % 2 == 1; }; // one pause at every window
    hooks.wantsPartial = [&] { return ++asked == 5; };
    hooks.partial = [&](Counts counts) { partial.push_back(std::move(counts)); };
    const Counts whole = countCorpus(*model, settings(), hooks);
    ASSERT_EQ(partial.size(), 1U);
    const auto positions = partial[0].streams[0].corpus.positions;
    EXPECT_GT(positions, 0U);
    EXPECT_LT(positions, whole.streams[0].corpus.positions);
    EXPECT_GT(pauses, 10);

    hooks.wantsPartial = [&] { return stop.request_stop(); };
    EXPECT_THROW(countCorpus(*model, settings(), hooks), Cancelled);
}

TEST_F(Counting, ProgressArrivesAtTheEnd)
{
    const auto model = fixtureModel("switchhead_xl");
    CountHooks hooks;
    std::vector<CountProgress> seen;
    hooks.progress = [&](const CountProgress& progress) { seen.push_back(progress); };
    hooks.pause = [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
        return false;
    };
    countCorpus(*model, settings(), hooks);
    ASSERT_FALSE(seen.empty());
    for (std::size_t i = 1; i < seen.size(); ++i)
        EXPECT_GE(seen[i].tokens, seen[i - 1].tokens);
    EXPECT_EQ(seen.back().stage, CountProgress::Stage::Counting);
    EXPECT_LE(seen.back().fraction, 1);
    EXPECT_GT(seen.back().tokensPerSecond, 0);
}

TEST_F(Counting, FrequentTokensAreTheMostFrequentOrThoseGiven)
{
    const auto model = fixtureModel("switchhead_xl");
    const Counts counts = countCorpus(*model, settings());
    const TokenTable& tokens = counts.streams[0].tokens;
    ASSERT_EQ(counts.basis.frequent.size(), 6U);
    std::uint64_t before = UINT64_MAX;
    for (const TokenId id : counts.basis.frequent) {
        const std::uint64_t n = tokens.count.at(tokens.find(id).value());
        EXPECT_LE(n, before);
        before = n;
    }
    EXPECT_EQ(static_cast<std::size_t>(std::count_if(tokens.count.begin(), tokens.count.end(), [&](std::uint64_t n) { return n > before; })) < 6, true);
    CountSettings given = settings();
    given.frequent = {5, 0, 3};
    EXPECT_EQ(countCorpus(*model, given).basis.frequent, (std::vector<TokenId>{5, 0, 3}));
}

TEST_F(Counting, MergingWhatDiffersIsRefused)
{
    const auto model = fixtureModel("switchhead_xl");
    const Counts counts = countCorpus(*model, settings());
    const auto refusal = [&](auto change) {
        Counts other = counts;
        other.streams[0].corpus.hash[0] ^= 1;
        change(other);
        const std::vector<NamedCounts> both{{"one", counts}, {"two", other}};
        return sentenceOf([&] { mergeCounts(both); });
    };
    EXPECT_EQ(refusal([](Counts&) {}), "");
    EXPECT_THAT(refusal([](Counts& c) { c.basis.fingerprint[3] = 'a'; }), HasSubstr("the checkpoint"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.tokenizerHash[3] = '?'; }), HasSubstr("the tokenizer"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.textPolicy.addBos = true; }), HasSubstr("the text policy"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.frequent.pop_back(); }), HasSubstr("most frequent tokens"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.window = 9; }), HasSubstr("--window"));
    EXPECT_THAT(refusal([](Counts& c) { c.streams[0].corpus.hash[0] ^= 1; }), HasSubstr("the same text"));
    EXPECT_THAT(refusal([](Counts& c) { c.parts = {3, {1}}; }), HasSubstr("parts of 3"));
    EXPECT_THAT(refusal([](Counts& c) { c.basis.tags = {""}; }), HasSubstr("tags"));
}

TEST_F(Counting, WhatCannotBeCountedIsSaid)
{
    const auto model = fixtureModel("switchhead_xl");
    const auto refusal = [&](auto change, const Model& of) {
        CountSettings other = settings();
        change(other);
        return sentenceOf([&] { countCorpus(of, other); });
    };
    EXPECT_THAT(refusal([](CountSettings&) {}, *fixtureModel("dense_xl")), HasSubstr("routes nothing"));
    EXPECT_THAT(refusal([](CountSettings& s) { s.window = 0; }, *fixtureModel("switchhead_package")), HasSubstr("tokenizer"));
    EXPECT_THAT(refusal([&](CountSettings& s) { s.corpus = {m_folder.file("blank", "\n\n\n")}; }, *model), HasSubstr("no token"));
    EXPECT_THAT(refusal([](CountSettings& s) { s.skipFirst = 24; }, *model), HasSubstr("nothing would be counted"));
    EXPECT_THAT(refusal([](CountSettings& s) { s.groups = 100000; }, *model), HasSubstr("bootstrap groups"));
    EXPECT_THAT(refusal([](CountSettings& s) { s.part = 2; }, *model), HasSubstr("part 2 of 1"));
}

} // namespace
} // namespace headscope::core::testing
