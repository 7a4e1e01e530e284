// SPDX-License-Identifier: GPL-3.0-or-later
// Counting carries memory from window to window of a document: what is counted is what a trace of the document shows.
#include "core/corpus/count_corpus.h"
#include "core/corpus/counts_file.h"
#include "core/corpus/find_contexts.h"
#include "core/corpus/merge_counts.h"
#include "core/corpus/run_window.h"
#include "core/trace/model_info.h"
#include "tests/core/corpus/corpus_folder.h"
#include "tests/core/families/changed_checkpoint.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <random>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

struct MemoryCase {
    std::string fixture;
    std::int64_t blocks = 1;
    std::int64_t segment = 8;
    std::int64_t window = 0; // 0: a segment
    bool sameLength = false;
    bool lastLayer = false;
};

class CountsSeeWhatTheTraceSees : public headscope::tests::ChangedCheckpoint,
                                  public ::testing::WithParamInterface<MemoryCase>
{
protected:
    CountsSeeWhatTheTraceSees() : ChangedCheckpoint(GetParam().fixture) {}

    std::shared_ptr<const Model> model()
    {
        set("lm.trafo.context_blocks", std::int64_t{1});
        set("lm.trafo.same_length_eval", std::int64_t{GetParam().sameLength});
        set("lm.trafo.last_layer_context", std::int64_t{GetParam().lastLayer});
        test::writeTorchCheckpoint(folder / "model.pth", file);
        OpenOptions options;
        options.device = "cpu";
        options.tokenizer = std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / GetParam().fixture / "tokenizer.model";
        options.memoryBlocks = GetParam().blocks;
        options.segment = GetParam().segment;
        return openModel(folder / "model.pth", options);
    }
    CountSettings settings() const
    {
        CountSettings settings;
        settings.corpus = {m_corpus.file("text", someText(9))};
        settings.window = GetParam().window;
        settings.groups = 4;
        settings.frequentTokens = 6;
        settings.fingerprint = std::string(64, '0');
        settings.threads = 2;
        return settings;
    }
    std::string fileOf(const Counts& counts) const
    {
        writeCounts(m_corpus.file("out.counts"), counts);
        return bytesOf(m_corpus.file("out.counts"));
    }

    CorpusFolder m_corpus;
};

constexpr float tie = 1e-5F;

using Choices = std::map<std::pair<TokenId, int>, std::int64_t>;

struct Traced {
    Choices choices;
    std::map<TokenId, std::int64_t> ties; // choices that rounding may turn
};

Traced traced(const Trace& trace, const RouterAddress& address)
{
    const SiteRouting& site = *trace.site(address);
    const int head = site.headOf(address);
    Traced result;
    for (std::int64_t i = 0; i < site.tokens; ++i) {
        const TokenId id = trace.text().tokens[static_cast<std::size_t>(i)].id;
        for (int slot = 0; slot < site.router.chosen; ++slot)
            ++result.choices[{id, site.experts[site.slot(i, head, slot)]}];
        result.ties[id] += site.margins[site.margin(i, head)] < tie ? 1 : 0;
    }
    return result;
}

Choices counted(const Counts& counts, const RouterCounts& router)
{
    Choices choices;
    for (std::size_t i = 0; i < router.pairs.size(); ++i)
        choices[{counts.streams[0].tokens.ids[router.pairs.row[i]], static_cast<int>(router.pairs.expert[i])}] =
            static_cast<std::int64_t>(router.pairs.count[i]);
    return choices;
}

TEST_P(CountsSeeWhatTheTraceSees, OfADocument)
{
    const auto opened = model();
    const Counts counts = countCorpus(*opened, settings());
    EXPECT_EQ(counts.basis.evaluation.memoryBlocks, GetParam().blocks);
    EXPECT_EQ(counts.basis.evaluation.segment, GetParam().segment);
    const auto trace = opened->trace(opened->tokenize(someText(9)), {.maps = false, .loss = false});
    ASSERT_GT(trace->tokens(), 20 * GetParam().segment);
    std::int64_t ties = 0;
    for (const RouterCounts& router : counts.routers) {
        const Traced expected = traced(*trace, router.router.address);
        Choices both = counted(counts, router);
        for (const auto& [pair, n] : expected.choices)
            both.try_emplace(pair, 0);
        for (const auto& [pair, n] : both) {
            const auto found = expected.choices.find(pair);
            EXPECT_LE(std::abs(n - (found == expected.choices.end() ? 0 : found->second)), expected.ties.at(pair.first))
                << router.router.address.toString() << " token " << pair.first << " expert " << pair.second;
        }
        for (const auto& [id, n] : expected.ties)
            ties += n;
    }
    EXPECT_LE(ties, 3); // nearly nothing may be excused
}

TEST_P(CountsSeeWhatTheTraceSees, WhateverThreadsBatchesPartsAndInterruptions)
{
    const auto opened = model();
    CountSettings how = settings();
    how.documents = {DocumentSplit::Kind::Blank, {}};
    how.threads = how.batch = 1;
    const std::string whole = fileOf(countCorpus(*opened, how));
    for (const auto& [threads, batch] : {std::pair{1, 16}, std::pair{3, 2}, std::pair{4, 32}}) {
        how.threads = threads;
        how.batch = batch;
        EXPECT_EQ(fileOf(countCorpus(*opened, how)), whole) << threads << " threads, batch " << batch;
    }
    std::vector<NamedCounts> parts;
    how.parts = 3;
    for (how.part = 1; how.part <= 3; ++how.part)
        parts.push_back({std::to_string(how.part), countCorpus(*opened, how)});
    EXPECT_EQ(fileOf(mergeCounts(parts)), whole);

    how = settings(); // one document: every interruption falls into it
    const std::string document = fileOf(countCorpus(*opened, how));
    how.partial = m_corpus.file("partial");
    how.secondsBetweenSaves = 0;
    std::mt19937 random(3);
    int interruptions = 0;
    for (bool done = false; !done && interruptions < 40;) {
        std::stop_source stop;
        // The last layer's output of all segments before is made anew: what an interruption leaves only grows when a run
        // gets further.
        unsigned left = 8 + 12 * static_cast<unsigned>(interruptions) + random() % 8;
        CountHooks hooks{.progress = {},
                         .pause = [&] { return left-- == 0 && stop.request_stop() && false; },
                         .wantsPartial = {},
                         .partial = {},
                         .notes = {},
                         .stop = stop.get_token()};
        try {
            EXPECT_EQ(fileOf(countCorpus(*opened, how, hooks)), document);
            done = true;
        } catch (const Cancelled&) {
            ++interruptions;
            how.resume = std::filesystem::exists(how.partial);
        }
    }
    EXPECT_GE(interruptions, 2);
    EXPECT_LT(interruptions, 40);
}

TEST_P(CountsSeeWhatTheTraceSees, ContextsToo)
{
    const auto opened = model();
    ContextSettings how;
    const CountSettings counting = settings();
    how.corpus = counting.corpus;
    how.window = counting.window;
    how.fingerprint = counting.fingerprint;
    how.threads = 2;
    how.limit = 10'000;
    const Counts counts = countCorpus(*opened, counting);
    const RouterCounts& router = counts.routers.back();
    how.routers = {router.router.address};
    const TokenTable& tokens = counts.streams[0].tokens;
    for (std::size_t row = 0; row < tokens.size(); row += 17) {
        how.ids = {tokens.ids[row]};
        std::vector<std::uint64_t> expected(static_cast<std::size_t>(router.router.experts));
        for (auto [i, last] = router.pairs.ofRow(row); i < last; ++i)
            expected[router.pairs.expert[i]] = router.pairs.count[i];
        for (const auto& windows : std::vector<std::optional<std::size_t>>{std::nullopt, 10'000}) {
            how.windows = windows;
            const Contexts all = findContexts(*opened, how);
            EXPECT_EQ(all.selections, expected);
            EXPECT_EQ(all.corpus.positions, tokens.count[row]);
            EXPECT_EQ(all.basis.evaluation, counts.basis.evaluation);
            how.windows = 2; // to the last bit the same, though other windows were run before them
            const Contexts some = findContexts(*opened, how);
            for (const Context& context : some.chosen)
                EXPECT_NE(std::ranges::find(all.chosen, context), all.chosen.end()) << context.window;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Models, CountsSeeWhatTheTraceSees,
    ::testing::Values(
        MemoryCase{.fixture = "switchhead_xl", .blocks = 0}, MemoryCase{.fixture = "switchhead_xl", .blocks = 1},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 4},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 2, .window = 20},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 2, .window = 24},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 3, .sameLength = true},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 1, .lastLayer = true},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 4, .lastLayer = true},
        MemoryCase{.fixture = "switchhead_xl", .blocks = 2, .window = 20, .sameLength = true, .lastLayer = true},
        MemoryCase{.fixture = "switchhead_rope", .blocks = 1}, MemoryCase{.fixture = "switchhead_postln_rope", .blocks = 1},
        MemoryCase{.fixture = "switchhead_qkvo", .blocks = 1, .segment = 16},
        MemoryCase{.fixture = "moa_mode_moa", .blocks = 4}, MemoryCase{.fixture = "switchall_xl", .blocks = 1},
        MemoryCase{.fixture = "switchall_gate_ffn", .blocks = 2, .lastLayer = true}),
    [](const auto& tested) {
        const MemoryCase& c = tested.param;
        return fmt::format("{}_n{}_u{}_w{}{}{}", c.fixture, c.blocks, c.segment, c.window,
                           c.sameLength ? "_same_length" : "", c.lastLayer ? "_last_layer" : "");
    });

TEST(CountsWithMemory, ABlockMakesADifference)
{
    const auto count = [](std::int64_t blocks) {
        const CorpusFolder folder;
        OpenOptions options;
        options.memoryBlocks = blocks;
        CountSettings settings;
        settings.corpus = {folder.file("text", someText(6))};
        settings.threads = 1;
        settings.fingerprint = std::string(64, '0');
        const auto path = std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures/switchhead_xl_memory/model-100000.pth";
        return countCorpus(*openModel(path, options), settings);
    };
    const Counts without = count(0);
    const Counts with = count(1);
    EXPECT_NE(without.find(*RouterAddress::parse("layers.1.self.o.h0"))->selections,
              with.find(*RouterAddress::parse("layers.1.self.o.h0"))->selections);
    // The first layer's V routers read a token alone.
    EXPECT_EQ(without.find(*RouterAddress::parse("layers.0.self.v.h0"))->selections,
              with.find(*RouterAddress::parse("layers.0.self.v.h0"))->selections);
    // They cannot be added up, and say why.
    Counts other = with;
    other.streams[0].corpus.hash[0] ^= 1;
    const auto refusal = [&](const Counts& a, const Counts& b) {
        const std::vector<NamedCounts> both{{"one", a}, {"two", b}};
        return sentenceOf([&] { mergeCounts(both); });
    };
    EXPECT_EQ(refusal(with, other), "");
    EXPECT_THAT(refusal(without, other), HasSubstr("the memory blocks (--memory-blocks)"));
    other.basis.evaluation.segment = 12;
    EXPECT_THAT(refusal(with, other), HasSubstr("the segment (--segment)"));
    other.basis.evaluation = {};
    EXPECT_THAT(refusal(with, other), HasSubstr("the memory blocks"));
    EXPECT_EQ(refusal(without, other), ""); // counts of an earlier version, without memory
}

TEST(CountsWithMemory, HowFarBackAWindowDepends)
{
    ModelInfo info;
    info.layers = 3;
    EXPECT_EQ(firstWindowNeeded(info, 8, 20), 20U); // no segments
    info.visibility.segment = 8;
    EXPECT_EQ(firstWindowNeeded(info, 8, 20), 20U); // no memory
    info.visibility.segmentsBack = 2;
    EXPECT_EQ(firstWindowNeeded(info, 8, 20), 14U);
    EXPECT_EQ(firstWindowNeeded(info, 8, 5), 0U);
    EXPECT_EQ(firstWindowNeeded(info, 16, 20), 17U); // token 320, segment 40, from 34 on
    EXPECT_EQ(firstWindowNeeded(info, 4, 20), 8U);   // token 80, segment 10, from 4 on
    EXPECT_EQ(firstWindowNeeded(info, 12, 20), 16U); // token 240, segment 30, from 24 on: token 192 begins a window, too
    info.lastLayerMemory = true;
    EXPECT_EQ(firstWindowNeeded(info, 8, 20), 0U); // what the last layer made of all before
}

} // namespace
} // namespace headscope::core::testing
