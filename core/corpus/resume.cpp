// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/resume.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"
#include "core/corpus/counts_metadata.h"
#include "core/corpus/counts_tensors.h"
#include "core/corpus/merge_counts.h"
#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::core {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what)
{
    throw Error(
        fmt::format("{} is an interrupted count with another {}; delete it, or give --out another name, to begin anew.",
                    shown(path), what));
}

void requireSame(const std::filesystem::path& path, const Counts& saved, const Accumulator& accumulator, const json& position,
                 const CorpusIdentity& identity)
{
    const Counts empty = accumulator.counts();
    if (position.at("corpusHash") != toString(identity.hash))
        refuse(path, "corpus");
    if (position.at("tagsDigest") != identity.tagsDigest)
        refuse(path, "table of tags");
    if (saved.parts != identity.parts)
        refuse(path, "part of the corpus");
    if (const std::string difference = differenceOf(saved, empty); !difference.empty())
        throw Error(fmt::format(
            "{} is an interrupted count that differs in {}; delete it, or give --out another name, to begin anew.",
            shown(path), difference));
}

/// Tokens of the open document, ascending, so that the same state gives the same file.
struct OpenTokens {
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> counts;
};

OpenTokens tokensOf(const OpenDocument& open, const Accumulator& accumulator)
{
    std::vector<std::pair<std::uint32_t, std::uint64_t>> sorted(open.tokens.begin(), open.tokens.end());
    std::sort(sorted.begin(), sorted.end());
    OpenTokens tokens;
    for (const auto& [row, count] : sorted) {
        tokens.ids.push_back(accumulator.ids()[row]);
        tokens.counts.push_back(count);
    }
    return tokens;
}

} // namespace

void savePartial(const std::filesystem::path& path, const Accumulator& accumulator, const CorpusIdentity& identity, const PassPosition& position)
{
    const Counts counts = accumulator.counts();
    OpenDocument open;
    if (const auto found = accumulator.openDocuments().find(position.document); found != accumulator.openDocuments().end())
        open = found->second;
    open.experts.resize(accumulator.expertsOfAllRouters());
    const OpenTokens tokens = tokensOf(open, accumulator);
    auto metadata = countsMetadata(counts);
    metadata[positionKey] = json{
        {"corpusHash", toString(identity.hash)},
        {"tagsDigest", identity.tagsDigest},
        {"document", position.document},
        {"windows",
         position.windows}}.dump();
    TensorPlan plan = planCounts(counts);
    const auto length = [](const auto& values) { return std::vector<std::int64_t>{static_cast<std::int64_t>(values.size())}; };
    plan.ids("open.ids", tokens.ids);
    plan.counts("open.count", length(tokens.counts), tokens.counts);
    plan.counts("open.selections", length(open.experts), open.experts);
    std::move(plan).write(path, metadata, {});
}

PassPosition loadPartial(const std::filesystem::path& path, Accumulator& accumulator, const CorpusIdentity& identity)
{
    TensorSet file(path);
    forgetRead(path); // it is this count's own, and is going to be replaced
    if (!file.metadata().contains(positionKey))
        throw Error(fmt::format(
            "{} is no interrupted count: no count wrote it; rename or delete it, or give --out another name.", shown(path)));
    PassPosition place;
    const json position = parseStrictJson(file.metadata().at(positionKey), shown(path) + ": the position");
    const Counts counts = takeCounts(file, {});
    try {
        requireSame(path, counts, accumulator, position, identity);
        place = {position.at("document").get<std::uint64_t>(), position.at("windows").get<std::uint64_t>()};
    } catch (const json::exception&) {
        file.fail("its position is damaged");
    }
    OpenDocument open;
    const auto ids = file.ids("open.ids");
    const auto count = file.counts("open.count", {static_cast<std::int64_t>(ids.size())});
    open.experts = file.counts("open.selections", {static_cast<std::int64_t>(accumulator.expertsOfAllRouters())});
    file.requireAllRead();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto found = std::lower_bound(accumulator.ids().begin(), accumulator.ids().end(), ids[i]);
        if (found == accumulator.ids().end() || *found != ids[i])
            file.fail("its open document has a token that the corpus lacks");
        open.tokens[static_cast<std::uint32_t>(found - accumulator.ids().begin())] = count[i];
        open.positions += count[i];
    }
    open.windows = place.windows;
    accumulator.add(counts);
    if (place.windows > 0)
        accumulator.resume(place.document, std::move(open));
    return place;
}

} // namespace headscope::core
