// SPDX-License-Identifier: GPL-3.0-or-later
// Where the rows of the tables come from: occurrences, what was decided there, and the passage that decides it again.
#include "core/corpus/count_corpus.h"
#include "core/corpus/find_contexts.h"
#include "core/trace/model_info.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope::core::testing {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t everything = 1'000'000;

class FindingContexts : public ::testing::Test
{
protected:
    ContextSettings settings(const Model& model, TokenId id, int expert) const
    {
        ContextSettings settings;
        settings.corpus = {m_corpus};
        settings.documents = {DocumentSplit::Kind::Blank, {}};
        settings.window = 24;
        settings.skipFirst = 2;
        settings.routers = {model.info()->routers[model.info()->routers.size() / 2].address};
        settings.ids = {id};
        settings.expert = expert;
        settings.limit = everything;
        settings.windows = std::nullopt;
        settings.threads = 1;
        settings.batch = 1;
        return settings;
    }
    CountSettings sameCount(const ContextSettings& of) const
    {
        CountSettings count;
        count.corpus = of.corpus;
        count.documents = of.documents;
        count.window = of.window;
        count.skipFirst = of.skipFirst;
        count.words = true;
        count.threads = 1;
        count.fingerprint = std::string(64, '0');
        return count;
    }
    static TokenId mostFrequent(const Counts& counts)
    {
        const TokenTable& tokens = counts.streams[0].tokens;
        return tokens.ids[static_cast<std::size_t>(std::ranges::max_element(tokens.count) - tokens.count.begin())];
    }

    CorpusFolder m_folder;
    std::filesystem::path m_corpus = m_folder.file("text.txt", someText(8));
};

/// n(t,e) of a row of pairs, [experts].
std::vector<std::uint64_t> selectionsOf(const PairCounts& pairs, std::size_t row, int experts)
{
    std::vector<std::uint64_t> selections(static_cast<std::size_t>(experts));
    for (auto [i, last] = pairs.ofRow(row); i < last; ++i)
        selections[pairs.expert[i]] = pairs.count[i];
    return selections;
}

TEST_F(FindingContexts, AreAsManyAsWereCounted)
{
    for (const char* name : {"switchhead_xl", "moa_mode_moa", "switchhead_softmax_sel", "moeut_abab_odd_head"}) {
        SCOPED_TRACE(name);
        const auto model = fixtureModel(name);
        const ContextSettings first = settings(*model, 0, 0);
        const Counts counts = countCorpus(*model, sameCount(first));
        const RouterCounts& router = *counts.find(first.routers[0]);
        const TokenTable& tokens = counts.streams[0].tokens;
        for (std::size_t row = 0; row < tokens.size(); row += 3) {
            const auto expected = selectionsOf(router.pairs, row, router.router.experts);
            const int expert = static_cast<int>(row) % router.router.experts;
            const Contexts found = findContexts(*model, settings(*model, tokens.ids[row], expert));
            EXPECT_EQ(found.selections, expected);
            EXPECT_EQ(found.corpus.positions, tokens.count[row]);
            EXPECT_EQ(found.chosen.size() + found.others.size(), tokens.count[row]);
            EXPECT_EQ(found.chosen.size(), expected[static_cast<std::size_t>(expert)]);
            EXPECT_TRUE(found.whole());
            EXPECT_EQ(found.corpus.hash, counts.streams[0].corpus.hash);
            EXPECT_EQ(found.corpus.documents, counts.streams[0].corpus.documents);
            EXPECT_EQ(found.corpus.tokens, counts.streams[0].corpus.tokens);
            EXPECT_TRUE(std::ranges::all_of(found.chosen, [&](const Context& c) { return c.find(expert) != nullptr; }));
            EXPECT_TRUE(std::ranges::all_of(found.others, [&](const Context& c) { return c.find(expert) == nullptr; }));
        }
    }
}

TEST_F(FindingContexts, WordsAndSeveralTokensAndRoutersAddUp)
{
    const auto model = fixtureModel("switchhead_xl");
    ContextSettings how = settings(*model, 0, 1);
    const Counts counts = countCorpus(*model, sameCount(how));
    const RouterCounts& router = *counts.find(how.routers[0]);
    const StreamCounts& stream = counts.streams[0];
    how.ids.clear();
    for (const char* word : {"river", "café", "The"}) {
        how.words = {word};
        const auto row = std::ranges::find(stream.words.words, word) - stream.words.words.begin();
        ASSERT_LT(row, std::ssize(stream.words.words));
        const Contexts found = findContexts(*model, how);
        EXPECT_EQ(found.selections, selectionsOf(router.words, static_cast<std::size_t>(row), router.router.experts))
            << word;
        EXPECT_EQ(found.corpus.positions, stream.words.count[static_cast<std::size_t>(row)]);
    }
    how.words = {"the", "The"};
    const Contexts both = findContexts(*model, how);
    how.words = {"The"};
    EXPECT_GT(both.corpus.positions, findContexts(*model, how).corpus.positions);

    how.words.clear();
    how.ids = {stream.tokens.ids[3], stream.tokens.ids[1]};
    how.routers.clear();
    std::vector<std::uint64_t> sum(static_cast<std::size_t>(router.router.experts));
    for (const RouterCounts& one : counts.routers) {
        how.routers.push_back(one.router.address);
        for (const std::size_t row : {1, 3})
            for (std::size_t e = 0; e < sum.size(); ++e)
                sum[e] += selectionsOf(one.pairs, row, router.router.experts)[e];
    }
    const Contexts pooled = findContexts(*model, how);
    EXPECT_EQ(pooled.selections, sum);
    EXPECT_EQ(pooled.decisions, pooled.positionsRun * how.routers.size());
    EXPECT_EQ(pooled.chosen.size() + pooled.others.size(), pooled.decisions);
}

TEST_F(FindingContexts, SayWhereTheyStand)
{
    const auto model = fixtureModel("switchhead_xl");
    m_folder.file("in/a.txt", someText(3, 2));
    m_folder.gzipped("in/b.txt.gz",
                     "An emoji \U0001F600\U0001F600 and the broken \xff\xfe bytes,\nthe \u05d0\u05d1\u05d2 mill. " +
                         someText(2, 3));
    ContextSettings how = settings(*model, 0, 0);
    how.corpus = {m_folder.file("in"), m_corpus};
    const auto documents = documentsIn(how.corpus, how.documents);
    const Counts counts = countCorpus(*model, sameCount(how));
    std::set<std::string> paths;
    for (const TokenId id : counts.streams[0].tokens.ids) {
        how.ids = {id};
        const Contexts found = findContexts(*model, how);
        for (const Context& context : found.chosen) {
            const std::string& document = documents.at(context.document);
            ASSERT_LE(context.bytes.end, document.size());
            const std::string around = context.before + context.keyword + context.after;
            ASSERT_GE(context.bytes.begin, context.before.size());
            EXPECT_EQ(document.substr(context.bytes.begin - context.before.size(), around.size()), around);
            EXPECT_EQ(context.keyword.size(), context.bytes.size());
            EXPECT_EQ(context.passage.text.substr(context.passage.keyword.begin, context.passage.keyword.size()),
                      context.keyword);
            EXPECT_TRUE(document.find(context.passage.text) != std::string::npos);
            EXPECT_LE(context.unseen, context.before.size());
            EXPECT_EQ(context.id, id);
            const bool atEnds = context.before.size() == context.bytes.begin ||
                                lastCharacters(context.before, contextCharacters) == context.before;
            EXPECT_TRUE(atEnds);
            if (context.window == 0 || context.passage.remembers) {
                EXPECT_EQ(context.unseen, 0U);
            }
            paths.insert(context.path);
            // The place in the file is right, too.
            if (context.path == m_corpus.string()) {
                EXPECT_EQ(bytesOf(m_corpus).substr(context.documentBegin + context.bytes.begin, context.keyword.size()),
                          context.keyword);
            }
        }
    }
    EXPECT_EQ(paths.size(), 3U);
}

TEST_F(FindingContexts, ThePassageDecidesAgain)
{
    for (const char* name : {"switchhead_xl", "moa_mode_moa", "switchhead_xl_memory"}) {
        SCOPED_TRACE(name);
        const auto model = fixtureModel(name);
        ContextSettings how = settings(*model, 0, 0);
        how.window = 20;
        how.expert.reset();
        how.ids = {mostFrequent(countCorpus(*model, sameCount(how)))};
        const Contexts found = findContexts(*model, how);
        EXPECT_THAT(found.others, IsEmpty());
        std::size_t same = 0;
        std::size_t remembering = 0;
        std::size_t decidedOtherwise = 0;
        for (const Context& context : found.chosen) {
            EXPECT_EQ(context.passage.remembers, context.window > 0);
            const auto trace = model->trace(model->tokenize(context.passage.text), {.maps = false, .loss = false});
            const auto range = tokensTouching(trace->text().tokens, context.passage.keyword);
            const auto& tokens = trace->text().tokens;
            const auto place = static_cast<std::size_t>(context.position);
            if (!context.passage.sameTokens)
                continue;
            ASSERT_EQ(tokens.at(place).id, context.id);
            if (!context.keyword.empty()) { // its bytes lead to it
                EXPECT_LE(range.first, place);
                EXPECT_GT(range.last, place);
            }
            const SiteRouting& site = *trace->site(context.router);
            const int head = site.headOf(context.router);
            if (context.passage.remembers) { // what it remembered is missing
                ++remembering;
                const float gate = site.gates[site.slot(context.position, head, 0)];
                decidedOtherwise += std::abs(gate - context.experts.front().gate) > 1e-3F ? 1 : 0;
                continue;
            }
            ++same;
            for (int i = 0; i < site.router.chosen; ++i) {
                const std::size_t slot = site.slot(context.position, head, i);
                if (context.margin > 1e-4F || std::isnan(context.margin)) {
                    EXPECT_EQ(site.experts[slot], context.experts[static_cast<std::size_t>(i)].expert);
                }
                EXPECT_NEAR(site.gates[slot], context.experts[static_cast<std::size_t>(i)].gate, 1e-4);
            }
        }
        EXPECT_GT(same, 0U);
        EXPECT_GT(same + remembering, found.chosen.size() / 4);
        EXPECT_LT(same + remembering, found.chosen.size()); // some windows begin inside of a word, and it is noticed
        EXPECT_GT(remembering, 0U);
    }
}

TEST_F(FindingContexts, ASharedDecisionIsThatOfItsRouter)
{
    const auto model = fixtureModel("switchhead_shared_experts_same_sel");
    const auto& routers = model->info()->routers;
    const auto shared = std::ranges::find_if(routers, [](const Router& router) { return router.sharedWith.has_value(); });
    ASSERT_NE(shared, routers.end());
    ContextSettings how = settings(*model, 0, 1);
    how.ids = {mostFrequent(countCorpus(*model, sameCount(how)))};
    how.routers = {shared->address};
    const Contexts one = findContexts(*model, how);
    how.routers = {*shared->sharedWith};
    EXPECT_EQ(findContexts(*model, how).selections, one.selections);
    EXPECT_EQ(one.chosen.size() + one.others.size(), one.decisions);
    how.routers.clear(); // added up with another it counts like that one
    how.routers = {shared->address, *shared->sharedWith};
    EXPECT_EQ(findContexts(*model, how).decisions, 2 * one.decisions);
}

TEST_F(FindingContexts, TheBestComeFirst)
{
    const auto model = fixtureModel("switchhead_xl");
    ContextSettings how = settings(*model, 0, 2);
    const Counts counts = countCorpus(*model, sameCount(how));
    Contexts all;
    for (const TokenId id : counts.streams[0].tokens.ids) {
        how.ids = {id};
        all = findContexts(*model, how);
        if (all.chosen.size() > 5 && all.others.size() > 5)
            break;
    }
    ASSERT_GT(all.chosen.size(), 5U);
    ASSERT_GT(all.others.size(), 5U);
    for (std::size_t i = 1; i < all.chosen.size(); ++i)
        EXPECT_GE(all.chosen[i - 1].find(2)->gate, all.chosen[i].find(2)->gate);
    for (std::size_t i = 1; i < all.others.size(); ++i)
        EXPECT_GE(all.others[i - 1].experts[0].gate, all.others[i].experts[0].gate);
    how.limit = 5;
    const Contexts few = findContexts(*model, how);
    EXPECT_EQ(few.chosen, std::vector<Context>(all.chosen.begin(), all.chosen.begin() + 5));
    EXPECT_EQ(few.others, std::vector<Context>(all.others.begin(), all.others.begin() + 5));
    EXPECT_EQ(few.selections, all.selections);
    how.limit = 0;
    EXPECT_THAT(findContexts(*model, how).chosen, IsEmpty());
}

TEST_F(FindingContexts, ThreadsAndBatchesMakeNoDifference)
{
    const auto model = fixtureModel("switchhead_xl");
    ContextSettings how = settings(*model, 0, 2);
    how.ids = {mostFrequent(countCorpus(*model, sameCount(how)))};
    how.limit = 20;
    for (const std::optional<std::size_t> windows : {std::optional<std::size_t>(), std::optional<std::size_t>(9)}) {
        how.windows = windows;
        how.threads = how.batch = 1;
        const Contexts one = findContexts(*model, how);
        for (const auto& [threads, batch] : {std::pair{1, 8}, std::pair{2, 1}, std::pair{4, 7}}) {
            how.threads = threads;
            how.batch = batch;
            const Contexts other = findContexts(*model, how);
            EXPECT_EQ(other.chosen, one.chosen) << threads << " threads, batch " << batch;
            EXPECT_EQ(other.others, one.others);
            EXPECT_EQ(other.selections, one.selections);
        }
    }
}

TEST_F(FindingContexts, SomeOfManyWindowsAreSpreadOverTheCorpus)
{
    const auto model = fixtureModel("switchhead_xl");
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += "the river " + std::to_string(i) + "\n";
    ContextSettings how = settings(*model, 0, 0);
    how.corpus = {m_folder.file("many", text)};
    how.documents = {DocumentSplit::Kind::Line, {}};
    how.skipFirst = 0;
    how.ids.clear();
    how.words = {"river"};
    how.expert.reset();
    const Contexts all = findContexts(*model, how);
    EXPECT_EQ(all.windows, 300U);
    for (const std::size_t cap : {1U, 2U, 7U, 10U, 149U, 150U, 299U, 300U, 5000U}) {
        how.windows = cap;
        const Contexts some = findContexts(*model, how);
        const std::size_t run = std::min<std::size_t>(cap, 300);
        EXPECT_EQ(some.windows, 300U);
        EXPECT_EQ(some.windowsRun, run);
        EXPECT_EQ(some.whole(), run == 300);
        EXPECT_EQ(some.corpus.positions, all.corpus.positions);
        EXPECT_EQ(some.positionsRun, some.decisions);
        std::set<std::uint64_t> documents;
        for (const Context& context : some.chosen)
            documents.insert(context.document);
        ASSERT_EQ(documents.size(), run);
        std::uint64_t farthest = 300 - *documents.rbegin(); // no part of the corpus is left out
        for (auto next = std::next(documents.begin()); next != documents.end(); ++next)
            farthest = std::max(farthest, *next - *std::prev(next));
        EXPECT_LE(farthest, 2 * (300 / run) + 2) << cap;
        // What was run gave what it gives among all.
        for (const Context& context : some.chosen)
            EXPECT_NE(std::ranges::find(all.chosen, context), all.chosen.end());
    }
}

TEST_F(FindingContexts, WhatStandsBehindDocumentsIsNeverListed)
{
    std::filesystem::path checkpoint;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures/switchhead_xl"))
        if (entry.path().extension() == ".pth")
            checkpoint = entry.path();
    OpenOptions options;
    options.documentSeparator = " river";
    const auto model = openModel(checkpoint, options);
    ContextSettings how = settings(*model, 0, 0);
    how.corpus = {m_folder.file("short", "the river\n\na mill and the river, the\n\nmill")};
    how.skipFirst = 0;
    how.expert.reset();
    const auto ids = model->tokenize("a river").ids();
    how.ids = {ids.back()};
    const Contexts found = findContexts(*model, how);
    const Counts counts = countCorpus(*model, sameCount(how));
    const auto row = counts.streams[0].tokens.find(ids.back());
    ASSERT_TRUE(row);
    EXPECT_EQ(found.corpus.positions, counts.streams[0].tokens.count[*row]); // nor counted
    EXPECT_EQ(found.behind, 3U);
    EXPECT_EQ(found.chosen.size(), found.corpus.positions);
    EXPECT_THAT(found.chosen, Each(Field(&Context::document, ::testing::Lt(2U))));
}

TEST_F(FindingContexts, SaysHowFarItIsAndStops)
{
    const auto model = fixtureModel("switchhead_xl");
    ContextSettings how = settings(*model, 0, 2);
    how.ids = {mostFrequent(countCorpus(*model, sameCount(how)))};
    how.windows = 400;
    std::vector<Contexts> parts;
    double last = 0;
    bool ascending = true;
    const Progress progress{
        .report = [&](double fraction,
                      std::string_view) { ascending = ascending && fraction >= std::exchange(last, fraction); },
        .stop = {}};
    const Contexts whole =
        findContexts(*model, how, progress,
                     {.wanted = [] { return true; }, .partial = [&](Contexts part) { parts.push_back(std::move(part)); }});
    EXPECT_TRUE(ascending);
    ASSERT_GT(parts.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(parts, {}, &Contexts::windowsRun));
    for (const Contexts& part : parts) {
        EXPECT_LE(part.windowsRun, whole.windowsRun);
        EXPECT_EQ(part.chosen.size() + part.others.size(), part.decisions);
    }
    for (int after = 0; after < 8; ++after) {
        std::stop_source stop;
        int calls = 0;
        const ContextHooks hooks{.wanted = [&] { return calls++ == after; },
                                 .partial = [&](const Contexts&) { stop.request_stop(); }};
        EXPECT_THROW(findContexts(*model, how, {.report = {}, .stop = stop.get_token()}, hooks), Cancelled) << after;
    }
}

TEST_F(FindingContexts, NothingFoundIsNoError)
{
    const auto model = fixtureModel("switchhead_xl");
    ContextSettings how = settings(*model, 0, 0);
    how.ids.clear();
    how.words = {"hippopotamus"};
    for (const std::optional<std::size_t> windows : {std::optional<std::size_t>(), std::optional<std::size_t>(9)}) {
        how.windows = windows;
        const Contexts found = findContexts(*model, how);
        EXPECT_THAT(found.chosen, IsEmpty());
        EXPECT_THAT(found.others, IsEmpty());
        EXPECT_EQ(found.windows, 0U);
        EXPECT_TRUE(found.whole());
        EXPECT_THAT(found.selections, Each(0U));
        EXPECT_GT(found.corpus.tokens, 0U);
    }
}

TEST_F(FindingContexts, WhatTheModelDoesNotHaveIsRefused)
{
    const auto model = fixtureModel("switchhead_xl");
    const ContextSettings good = settings(*model, 5, 0);
    const auto refusal = [&](auto change) {
        ContextSettings how = good;
        change(how);
        return sentenceOf([&] { findContexts(*model, how); });
    };
    EXPECT_EQ(refusal([](ContextSettings&) {}), "");
    EXPECT_THAT(refusal([](ContextSettings& how) { how.ids = {1'000'000}; }), HasSubstr("no token 1000000"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.ids = {-1}; }), HasSubstr("no token -1"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.ids.clear(); }), HasSubstr("tokens, or words"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.words = {"the"}; }), HasSubstr("tokens, or words"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.expert = 99; }), HasSubstr("no expert 99"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.routers.clear(); }), HasSubstr("Give the router"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.routers[0].depth = 77; }), HasSubstr("no router layers.77"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.windows = 0; }), HasSubstr("1 to 10000"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.skipFirst = 24; }), HasSubstr("nothing would be counted"));
    EXPECT_THAT(refusal([](ContextSettings& how) { how.corpus = {"/nowhere"}; }), HasSubstr("does not exist"));
    const auto dense = fixtureModel("dense_xl");
    EXPECT_THAT(sentenceOf([&] { findContexts(*dense, good); }), HasSubstr("routes nothing"));
}

TEST(CharactersOfContexts, AreNeverCut)
{
    EXPECT_EQ(lastCharacters("aé\U0001F600z", 2), "\U0001F600z");
    EXPECT_EQ(lastCharacters("aé\U0001F600z", 3), "é\U0001F600z");
    EXPECT_EQ(lastCharacters("é", 5), "é");
    EXPECT_EQ(lastCharacters("", 5), "");
    EXPECT_EQ(lastCharacters("a\xff\xfe", 2), "\xff\xfe");
    EXPECT_EQ(firstCharacters("é\U0001F600z", 2), "é\U0001F600");
    EXPECT_EQ(firstCharacters("\xff\xfez", 2), "\xff\xfe");
    EXPECT_EQ(firstCharacters("ab", 0), "");
}

} // namespace
} // namespace headscope::core::testing
