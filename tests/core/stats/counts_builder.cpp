// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/stats/counts_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace headscope::core::testing {

namespace {

constexpr std::uint32_t groups = 4;

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::string wordOf(const std::string& piece)
{
    const std::string mark = "\u2581";
    return piece.starts_with(mark) && piece.size() > mark.size() ? piece.substr(mark.size()) : piece;
}

/// Sums of a table of pairs while it is counted.
struct Sums {
    std::uint64_t count = 0;
    float gate = 0;
    std::map<std::uint32_t, std::uint64_t> groups;
};

PairCounts pairCounts(const std::map<Pair, Sums>& sums, bool early)
{
    PairCounts pairs;
    pairs.gates = FixedSums(sums.size());
    for (const auto& [key, sum] : sums) {
        pairs.gates.add(pairs.size(), FixedSums::steps(sum.gate));
        pairs.row.push_back(key.first);
        pairs.expert.push_back(key.second);
        pairs.count.push_back(sum.count);
        if (early)
            pairs.early.push_back(0);
    }
    return pairs;
}

StreamCounts streamOf(const std::vector<std::string>& pieces, const std::vector<Decision>& decisions)
{
    StreamCounts stream;
    const std::size_t tokens = pieces.size();
    stream.tokens.pieces = pieces;
    stream.tokens.count.assign(tokens, 0);
    stream.tokens.early.assign(tokens, 0);
    stream.tokens.groups.assign(tokens * groups, 0);
    stream.groupDocuments.assign(groups, 0);
    stream.groupPositions.assign(groups, 0);
    stream.tagPositions.assign(2, 0);
    std::map<std::string, std::uint64_t> words;
    std::set<std::uint32_t> documents;
    for (std::size_t token = 0; token < tokens; ++token)
        stream.tokens.ids.push_back(static_cast<TokenId>(100 + token));
    for (const Decision& decision : decisions) {
        const std::uint32_t group = decision.document % groups;
        ++stream.tokens.count[decision.token];
        ++stream.tokens.groups[decision.token * groups + group];
        ++stream.groupPositions[group];
        ++stream.tagPositions[decision.document % 2];
        ++words[wordOf(pieces[decision.token])];
        documents.insert(decision.document);
    }
    for (const std::uint32_t document : documents)
        ++stream.groupDocuments[document % groups];
    for (const auto& [word, count] : words) {
        stream.words.words.push_back(word);
        stream.words.count.push_back(count);
    }
    stream.corpus.hash = {1, 2, 3, 4};
    stream.corpus.documents = documents.size();
    stream.corpus.bytes = decisions.size() * 4;
    stream.corpus.tokens = stream.corpus.positions = decisions.size();
    return stream;
}

RouterCounts routerOf(Site site, const StreamCounts& stream, const std::vector<Decision>& decisions, int experts)
{
    const auto e = static_cast<std::size_t>(experts);
    RouterCounts router;
    router.router.address = {Stack::None, 0, Block::Self, site, 0};
    router.router.experts = experts;
    router.router.chosen = static_cast<int>(decisions.front().experts.size());
    router.router.side = site == Site::V ? Side::Source : Side::Destination;
    router.selections.assign(e, 0);
    router.gates = FixedSums(e);
    router.together.assign(e * e, 0);
    router.tags.assign(2 * e, 0);
    router.tagGates = FixedSums(2 * e);
    router.groupSelections.assign(groups * e, 0);
    router.margins.assign(marginBins, 0);
    router.margins[marginBin(0.5F)] = decisions.size();
    std::map<Pair, Sums> pairs, words;
    for (const Decision& decision : decisions) {
        const std::string word = wordOf(stream.tokens.pieces[decision.token]);
        const auto wordRow = static_cast<std::uint32_t>(
            std::lower_bound(stream.words.words.begin(), stream.words.words.end(), word) - stream.words.words.begin());
        for (std::size_t slot = 0; slot < decision.experts.size(); ++slot) {
            const std::uint32_t expert = decision.experts[slot];
            const auto gate = static_cast<float>(decision.gates.empty() ? 0.5 : decision.gates[slot]);
            ++router.selections[expert];
            router.gates.add(expert, FixedSums::steps(gate));
            ++router.tags[decision.document % 2 * e + expert];
            router.tagGates.add(decision.document % 2 * e + expert, FixedSums::steps(gate));
            ++router.groupSelections[decision.document % groups * e + expert];
            for (const std::uint32_t other : decision.experts)
                ++router.together[expert * e + other];
            Sums& pair = pairs[{decision.token, expert}];
            ++pair.count;
            pair.gate += gate;
            ++pair.groups[decision.document % groups];
            Sums& wordPair = words[{wordRow, expert}];
            ++wordPair.count;
            wordPair.gate += gate;
        }
    }
    router.pairs = pairCounts(pairs, true);
    router.words = pairCounts(words, false);
    for (std::uint32_t pair = 0; const auto& [key, sum] : pairs) {
        for (const auto& [group, count] : sum.groups) {
            router.groups.pair.push_back(pair);
            router.groups.kind.push_back(group);
            router.groups.count.push_back(count);
        }
        ++pair;
    }
    const RouterTable table = tableOf(decisions, static_cast<std::uint32_t>(stream.tokens.size()), experts);
    router.expected = FixedSums(table.expected.size());
    for (std::size_t i = 0; i < table.expected.size(); ++i)
        router.expected.add(i, FixedSums::steps(static_cast<float>(table.expected[i])));
    return router;
}

} // namespace

Counts countsOf(const std::vector<std::string>& pieces, const std::vector<Decision>& decisions, int experts)
{
    Counts counts;
    counts.basis.model = "model.pth";
    counts.basis.family = "moe_attention";
    counts.basis.variant = "SwitchHead";
    counts.basis.fingerprint = std::string(64, 'a');
    counts.basis.dtype = "float32";
    counts.basis.tokenizer = "SentencePiece BPE, 4000 pieces";
    counts.basis.tokenizerHash = std::string(64, 'b');
    counts.basis.textPolicy.documentSeparator = "<SEP>";
    counts.basis.window = 256;
    counts.basis.groups = groups;
    counts.basis.words = true;
    counts.basis.tags = {"", "odd"};
    counts.streams.push_back(streamOf(pieces, decisions));
    for (const Site site : {Site::V, Site::O})
        counts.routers.push_back(routerOf(site, counts.streams.front(), decisions, experts));
    counts.joint.push_back({0, 1, counts.routers[0].together});
    return counts;
}

Counts awkwardCounts(std::uint32_t documents)
{
    const std::vector<std::string> pieces{"\u2581the",
                                          "=1+1",
                                          "+x",
                                          "-",
                                          "@me",
                                          "a,b",
                                          "say \"hi\"",
                                          "tab\there",
                                          "two\nlines",
                                          "back\\slash",
                                          "\xff\xfe",
                                          "50%&$#_{}~^|<>",
                                          "\u4e2d\u6587",
                                          "caf\u00e9",
                                          "'`\u201c\u2019",
                                          "**bold** [x](y)"};
    std::vector<Decision> decisions;
    for (std::uint32_t token = 0; token < pieces.size(); ++token) {
        for (std::uint32_t i = 0; i < 12 + token; ++i)
            decisions.push_back({token, {token % 3, 3 + (token + i) % 2}, i % documents, {0.75, 0.25}});
    }
    return countsOf(pieces, decisions, 5);
}

} // namespace headscope::core::testing
