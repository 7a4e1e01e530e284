// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/merge_counts.h"

#include "core/corpus/accumulator.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace headscope::core {

namespace {

bool sameRouters(const Counts& a, const Counts& b)
{
    const auto same = [](const RouterCounts& x, const RouterCounts& y) {
        const Router& r = x.router;
        const Router& s = y.router;
        return r.address == s.address && r.experts == s.experts && r.chosen == s.chosen && r.gate == s.gate && r.side == s.side;
    };
    return std::equal(a.routers.begin(), a.routers.end(), b.routers.begin(), b.routers.end(), same);
}

CountedParts joinParts(std::span<const NamedCounts> counts)
{
    CountedParts all = counts.front().counts.parts;
    std::map<int, std::string> from;
    for (const int part : all.parts)
        from.emplace(part, counts.front().name);
    std::set<CorpusHash> whole{counts.front().counts.streams.front().corpus.hash};
    for (const NamedCounts& more : counts.subspan(1)) {
        const CountedParts& parts = more.counts.parts;
        if (parts.of != all.of)
            throw Error(fmt::format("{} holds {} and {} {}; parts of one division are merged first, whole corpora afterwards.",
                                    counts.front().name, all.of == 1 ? "a whole corpus" : fmt::format("parts of {}", all.of), more.name,
                                    parts.of == 1 ? "a whole corpus" : fmt::format("parts of {}", parts.of)));
        if (parts.of == 1 && !whole.insert(more.counts.streams.front().corpus.hash).second)
            throw Error(fmt::format("{} holds the same text as a file before it, which would count twice; leave one out.", more.name));
        for (const int part : parts.parts) {
            const auto [found, isNew] = from.emplace(part, more.name);
            if (!isNew)
                throw Error(fmt::format("Part {} of {} is in {} and in {} and would count twice; leave one out.", part, parts.of, found->second,
                                        more.name));
            all.parts.push_back(part);
        }
    }
    std::sort(all.parts.begin(), all.parts.end());
    return all.parts.size() == static_cast<std::size_t>(all.of) ? CountedParts{} : all;
}

AccumulatorStart startOf(std::span<const NamedCounts> counts)
{
    AccumulatorStart start;
    start.basis = counts.front().counts.basis;
    start.parts = joinParts(counts);
    for (const RouterCounts& router : counts.front().counts.routers)
        start.routers.push_back(router.router);
    std::map<TokenId, std::string> pieces;
    for (const NamedCounts& some : counts) {
        const TokenTable& tokens = some.counts.streams.front().tokens;
        for (std::size_t row = 0; row < tokens.size(); ++row)
            pieces.emplace(tokens.ids[row], tokens.pieces[row]);
    }
    for (auto& [id, piece] : pieces) {
        start.ids.push_back(id);
        start.pieces.push_back(std::move(piece));
    }
    return start;
}

} // namespace

std::string differenceOf(const Counts& a, const Counts& b)
{
    const CountBasis& x = a.basis;
    const CountBasis& y = b.basis;
    if (x.fingerprint != y.fingerprint)
        return "the checkpoint";
    if (x.family != y.family || !sameRouters(a, b))
        return "the model that was made of the checkpoint (family or hyper-parameters)";
    if (x.dtype != y.dtype)
        return "the number type";
    if (x.tokenizerHash != y.tokenizerHash)
        return "the tokenizer";
    if (x.textPolicy != y.textPolicy)
        return "the text policy";
    if (x.documents != y.documents)
        return "how files are cut into documents (--documents)";
    if (x.jsonField != y.jsonField)
        return "the field of the lines of JSON (--json-field)";
    if (x.window != y.window)
        return "the window (--window)";
    if (x.skipFirst != y.skipFirst)
        return "the positions left out (--skip-first)";
    if (const std::string difference = differenceOf(x.evaluation, y.evaluation); !difference.empty())
        return difference;
    if (x.groups != y.groups)
        return "the number of bootstrap groups (--groups)";
    if (x.words != y.words)
        return "whether words are counted (--words)";
    if (x.tags != y.tags)
        return "the names of the tags (--tags)";
    if (x.frequent != y.frequent)
        return "the list of the most frequent tokens (count the parts with --part over the whole corpus, or give one list with --frequent)";
    return {};
}

Counts mergeCounts(std::span<const NamedCounts> counts, const Progress& progress)
{
    if (counts.empty())
        throw Error("There are no counts to merge.");
    for (const NamedCounts& some : counts) {
        if (some.counts.streams.size() != 1)
            throw Error(fmt::format("{} has several streams, which this version does not merge.", some.name));
        const std::string difference = differenceOf(counts.front().counts, some.counts);
        if (!difference.empty())
            throw Error(fmt::format("{} and {} cannot be merged: they differ in {}.", counts.front().name, some.name, difference));
    }
    Accumulator all(startOf(counts), std::make_shared<WordNumbers>());
    for (const NamedCounts& some : counts)
        all.add(some.counts, progress);
    return all.counts(progress);
}

} // namespace headscope::core
