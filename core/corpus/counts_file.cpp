// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/counts_file.h"

#include "core/corpus/check_counts.h"
#include "core/corpus/check_sums.h"
#include "core/corpus/counts_metadata.h"
#include "core/corpus/counts_tensors.h"

#include <fmt/format.h>

namespace headscope::core {

namespace {

using Shape = std::vector<std::int64_t>;

Shape shape(std::size_t rows)
{
    return {static_cast<std::int64_t>(rows)};
}

Shape shape(std::size_t rows, std::size_t columns)
{
    return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
}

bool isSoftmax(GateKind gate)
{
    return gate == GateKind::SoftmaxAll || gate == GateKind::SoftmaxChosen;
}

void planStream(TensorPlan& plan, const StreamCounts& stream, const CountBasis& basis)
{
    const std::string name = "stream." + stream.name + ".";
    const TokenTable& tokens = stream.tokens;
    const auto groups = static_cast<std::size_t>(basis.groups);
    plan.ids(name + "tokens.ids", tokens.ids);
    plan.strings(name + "tokens.pieces", tokens.pieces);
    plan.counts(name + "tokens.count", shape(tokens.size()), tokens.count);
    plan.counts(name + "tokens.early", shape(tokens.size()), tokens.early);
    plan.counts(name + "tokens.groups", shape(tokens.size(), groups), tokens.groups);
    plan.counts(name + "groups.documents", shape(groups), stream.groupDocuments);
    plan.counts(name + "groups.positions", shape(groups), stream.groupPositions);
    if (!basis.tags.empty())
        plan.counts(name + "tags.positions", shape(basis.tags.size()), stream.tagPositions);
    if (basis.words) {
        plan.strings(name + "words", stream.words.words);
        plan.counts(name + "words.count", shape(stream.words.size()), stream.words.count);
    }
}

enum class Early : std::uint8_t { None, Kept };

void planPairs(TensorPlan& plan, const std::string& name, const PairCounts& pairs, Early early)
{
    plan.indices(name + ".row", pairs.row);
    plan.indices(name + ".expert", pairs.expert);
    plan.counts(name + ".count", shape(pairs.size()), pairs.count);
    plan.sums(name + ".gates", shape(pairs.size()), pairs.gates);
    if (early == Early::Kept)
        plan.counts(name + ".early", shape(pairs.size()), pairs.early);
}

void planClasses(TensorPlan& plan, const std::string& name, const ClassCounts& classes)
{
    plan.indices(name + ".pair", classes.pair);
    plan.indices(name + ".class", classes.kind);
    plan.counts(name + ".count", shape(classes.size()), classes.count);
}

void planRouter(TensorPlan& plan, const RouterCounts& counted, const Counts& all)
{
    const CountBasis& basis = all.basis;
    const std::string name = counted.router.address.toString() + ".";
    const auto experts = static_cast<std::size_t>(counted.router.experts);
    plan.counts(name + "selections", shape(experts), counted.selections);
    plan.sums(name + "gates", shape(experts), counted.gates);
    planPairs(plan, name + "pairs", counted.pairs, Early::Kept);
    plan.sums(name + "expected", shape(all.streamOf(counted).tokens.size(), experts), counted.expected);
    plan.counts(name + "together", shape(experts, experts), counted.together);
    if (!basis.tags.empty()) {
        plan.counts(name + "tags", shape(basis.tags.size(), experts), counted.tags);
        plan.sums(name + "tags.gates", shape(basis.tags.size(), experts), counted.tagGates);
    }
    planClasses(plan, name + "previous", counted.previous);
    planClasses(plan, name + "positions", counted.positions);
    planClasses(plan, name + "groups", counted.groups);
    plan.counts(name + "groups.selections", shape(static_cast<std::size_t>(basis.groups), experts), counted.groupSelections);
    if (basis.words)
        planPairs(plan, name + "words", counted.words, Early::None);
    if (isSoftmax(counted.router.gate)) {
        plan.sums(name + "probabilities", shape(experts), counted.probabilities);
        plan.sums(name + "squaredLogSumExp", shape(1), counted.squaredLogSumExp);
    }
    if (counted.router.chosen < counted.router.experts)
        plan.counts(name + "margins", shape(marginBins), counted.margins);
}

void readStream(TensorSet& file, StreamCounts& stream, const CountBasis& basis)
{
    const std::string name = "stream." + stream.name + ".";
    const auto groups = static_cast<std::size_t>(basis.groups);
    TokenTable& tokens = stream.tokens;
    tokens.ids = file.ids(name + "tokens.ids");
    tokens.pieces = file.strings(name + "tokens.pieces");
    tokens.count = file.counts(name + "tokens.count", shape(tokens.size()));
    tokens.early = file.counts(name + "tokens.early", shape(tokens.size()));
    tokens.groups = file.counts(name + "tokens.groups", shape(tokens.size(), groups));
    stream.groupDocuments = file.counts(name + "groups.documents", shape(groups));
    stream.groupPositions = file.counts(name + "groups.positions", shape(groups));
    if (!basis.tags.empty())
        stream.tagPositions = file.counts(name + "tags.positions", shape(basis.tags.size()));
    if (basis.words) {
        stream.words.words = file.strings(name + "words");
        stream.words.count = file.counts(name + "words.count", shape(stream.words.size()));
    }
}

PairCounts readPairs(TensorSet& file, const std::string& name, Early early)
{
    PairCounts pairs;
    pairs.row = file.indices(name + ".row");
    pairs.expert = file.indices(name + ".expert", pairs.size());
    pairs.count = file.counts(name + ".count", shape(pairs.size()));
    pairs.gates = file.sums(name + ".gates", shape(pairs.size()));
    if (early == Early::Kept)
        pairs.early = file.counts(name + ".early", shape(pairs.size()));
    return pairs;
}

ClassCounts readClasses(TensorSet& file, const std::string& name)
{
    ClassCounts classes;
    classes.pair = file.indices(name + ".pair");
    classes.kind = file.indices(name + ".class", classes.size());
    classes.count = file.counts(name + ".count", shape(classes.size()));
    return classes;
}

void readRouter(TensorSet& file, RouterCounts& counted, const Counts& all)
{
    const CountBasis& basis = all.basis;
    const std::string name = counted.router.address.toString() + ".";
    const auto experts = static_cast<std::size_t>(counted.router.experts);
    counted.selections = file.counts(name + "selections", shape(experts));
    counted.gates = file.sums(name + "gates", shape(experts));
    counted.pairs = readPairs(file, name + "pairs", Early::Kept);
    counted.expected = file.sums(name + "expected", shape(all.streamOf(counted).tokens.size(), experts));
    counted.together = file.counts(name + "together", shape(experts, experts));
    if (!basis.tags.empty()) {
        counted.tags = file.counts(name + "tags", shape(basis.tags.size(), experts));
        counted.tagGates = file.sums(name + "tags.gates", shape(basis.tags.size(), experts));
    }
    counted.previous = readClasses(file, name + "previous");
    counted.positions = readClasses(file, name + "positions");
    counted.groups = readClasses(file, name + "groups");
    counted.groupSelections = file.counts(name + "groups.selections", shape(static_cast<std::size_t>(basis.groups), experts));
    if (basis.words)
        counted.words = readPairs(file, name + "words", Early::None);
    if (isSoftmax(counted.router.gate)) {
        counted.probabilities = file.sums(name + "probabilities", shape(experts));
        counted.squaredLogSumExp = file.sums(name + "squaredLogSumExp", shape(1));
    }
    if (counted.router.chosen < counted.router.experts)
        counted.margins = file.counts(name + "margins", shape(marginBins));
}

std::string jointName(const JointCounts& pair, const Counts& counts)
{
    return counts.routers[pair.source].router.address.toString() + " x " + counts.routers[pair.destination].router.address.toString();
}

Shape jointShape(const JointCounts& pair, const Counts& counts)
{
    return {counts.routers[pair.source].router.experts, counts.routers[pair.destination].router.experts};
}

std::string poolName(std::size_t pool)
{
    return fmt::format("pools.{}.positions", pool);
}

Shape poolShape(const PooledCounts& pool, const Counts& counts)
{
    return {counts.routers[pool.members.front()].router.experts, static_cast<std::int64_t>(pool.members.size())};
}

} // namespace

TensorPlan planCounts(const Counts& counts)
{
    TensorPlan plan;
    plan.strings("documents", {counts.basis.documents});
    plan.strings("tags", counts.basis.tags);
    plan.ids("frequent", counts.basis.frequent);
    for (const StreamCounts& stream : counts.streams)
        planStream(plan, stream, counts.basis);
    for (const RouterCounts& router : counts.routers)
        planRouter(plan, router, counts);
    for (const JointCounts& pair : counts.joint)
        plan.counts(jointName(pair, counts), jointShape(pair, counts), pair.together);
    for (std::size_t i = 0; i < counts.pooled.size(); ++i) {
        const PooledCounts& pool = counts.pooled[i];
        plan.counts(poolName(i), poolShape(pool, counts), pool.positions);
    }
    return plan;
}

Counts takeCounts(TensorSet& file, const Progress& progress)
{
    Counts counts = countsFromMetadata(file.metadata(), [&file](std::string_view what) { file.fail(what); });
    const auto documents = file.strings("documents");
    if (documents.size() != 1)
        file.fail("it does not say how its documents were cut");
    counts.basis.documents = documents.front();
    counts.basis.tags = file.strings("tags");
    counts.basis.frequent = file.ids("frequent");
    for (StreamCounts& stream : counts.streams)
        readStream(file, stream, counts.basis);
    for (std::size_t i = 0; i < counts.routers.size(); ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(counts.routers.size()), "reading the counts");
        readRouter(file, counts.routers[i], counts);
    }
    for (JointCounts& pair : counts.joint)
        pair.together = file.counts(jointName(pair, counts), jointShape(pair, counts));
    for (std::size_t i = 0; i < counts.pooled.size(); ++i) {
        PooledCounts& pool = counts.pooled[i];
        pool.positions = file.counts(poolName(i), poolShape(pool, counts));
    }
    if (const auto wrong = contradictionIn(counts))
        file.fail(*wrong);
    if (const auto wrong = wrongSumIn(counts, LastDocument::Open))
        file.fail(*wrong);
    return counts;
}

void writeCounts(const std::filesystem::path& path, const Counts& counts, const Progress& progress)
{
    planCounts(counts).write(path, countsMetadata(counts), progress);
}

Counts readCounts(const std::filesystem::path& path, const Progress& progress)
{
    TensorSet file(path);
    Counts counts = takeCounts(file, progress);
    file.requireAllRead();
    for (const StreamCounts& stream : counts.streams)
        if (stream.corpus.positions > stream.corpus.tokens)
            file.fail("it counted more positions than there are tokens");
    if (const auto wrong = wrongSumIn(counts, LastDocument::Ended))
        file.fail(*wrong);
    return counts;
}

} // namespace headscope::core
