// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/tables.h"

#include "core/error.h"
#include "core/tokenizer/fold_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

namespace headscope::core {

namespace {

std::int64_t whole(std::uint64_t count)
{
    return static_cast<std::int64_t>(count); // a corpus of 2⁶³ tokens is not going to be counted
}

const PairCounts& pairsOf(const RouterCounts& router, RowUnit unit)
{
    return unit == RowUnit::Words ? router.words : router.pairs;
}

/// "layers.{0,2}.self.v.h0" of addresses that differ in their depth.
std::string pooledName(const Counts& counts, const std::vector<std::size_t>& members, Pooling pooling)
{
    const RouterAddress first = counts.routers[members.front()].router.address;
    if (pooling == Pooling::Heads)
        return first.wholeSite().toString();
    if (members.size() == 1)
        return first.toString();
    std::set<int> depths;
    for (const std::size_t member : members)
        depths.insert(counts.routers[member].router.address.depth);
    std::string name = first.toString();
    const std::string depth = fmt::format("layers.{}.", first.depth);
    return name.replace(name.find(depth), depth.size(), fmt::format("layers.{{{}}}.", fmt::join(depths, ",")));
}

void requireAlike(const Router& a, const Router& b)
{
    if (poolable(a, b))
        return;
    throw Error(fmt::format(
        "{} and {} cannot be pooled: {} of {} and {} of {} experts, or other gates; choose the routers that are alike "
        "or leave the pooling out.",
        a.address.toString(), b.address.toString(), a.chosen, a.experts, b.chosen, b.experts));
}

/// Sorts by key and adds up what has the same one.
template <typename Entry, typename Key, typename Add>
std::vector<Entry> merged(std::vector<Entry> entries, Key key, Add add)
{
    const auto before = [key](const Entry& a, const Entry& b) { return key(a) < key(b); };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries.size(); ++i) {
        if (key(entries[kept]) == key(entries[i]))
            add(entries[kept], entries[i]);
        else
            entries[++kept] = entries[i];
    }
    entries.resize(entries.empty() ? 0 : kept + 1);
    return entries;
}

/// One router's part of a table is added after another's.
class TableSum
{
public:
    TableSum(const Counts& counts, const RowMap& rows, int experts) : m_counts(counts), m_rows(rows)
    {
        m_table.experts = experts;
        m_table.rows = rows.names;
        m_table.rowCounts.assign(rows.names->size(), 0);
        m_table.selections.assign(static_cast<std::size_t>(experts), 0);
        m_table.gateMass.assign(static_cast<std::size_t>(experts), 0);
    }

    void add(const RouterCounts& router);
    RouterTable finished();

private:
    void addPairs(const RouterCounts& router);
    void addExpected(const RouterCounts& router);
    void addGroups(const RouterCounts& router);
    void addTags(const RouterCounts& router);
    void addSoftmax(const RouterCounts& router);
    std::vector<ClassedSelection> classes(const RouterCounts& router, const ClassCounts& counts,
                                          std::vector<ClassedSelection> before) const;
    void finishGroups();

    struct Grouped {
        std::uint32_t row, expert, group;
        std::int64_t count;
    };

    const Counts& m_counts;
    const RowMap& m_rows;
    RouterTable m_table;
    std::vector<Grouped> m_groups;
};

void TableSum::add(const RouterCounts& router)
{
    const StreamCounts& stream = m_counts.streamOf(router);
    m_table.members.push_back(router.router.address.toString());
    m_table.chosen = router.router.chosen;
    m_table.gate = router.router.gate;
    m_table.documents = whole(stream.corpus.documents);
    addPairs(router);
    addTags(router);
    addSoftmax(router);
    if (m_rows.unit == RowUnit::Words)
        return;
    addExpected(router);
    addGroups(router);
    m_table.previous = classes(router, router.previous, std::move(m_table.previous));
    m_table.places = classes(router, router.positions, std::move(m_table.places));
}

void TableSum::addPairs(const RouterCounts& router)
{
    const StreamCounts& stream = m_counts.streamOf(router);
    const std::vector<std::uint64_t>& counts = m_rows.unit == RowUnit::Words ? stream.words.count : stream.tokens.count;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        m_table.rowCounts[m_rows.rowOf[row]] += whole(counts[row]);
        m_table.positions += whole(counts[row]);
    }
    const PairCounts& pairs = pairsOf(router, m_rows.unit);
    const bool early = !pairs.early.empty();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double gate = pairs.gates.value(i);
        m_table.selections[pairs.expert[i]] += whole(pairs.count[i]);
        m_table.gateMass[pairs.expert[i]] += gate;
        m_table.pairs.push_back(
            {m_rows.rowOf[pairs.row[i]], pairs.expert[i], whole(pairs.count[i]), early ? whole(pairs.early[i]) : -1, gate});
    }
}

void TableSum::addExpected(const RouterCounts& router)
{
    const auto experts = static_cast<std::size_t>(m_table.experts);
    m_table.expected.resize(m_table.rowCounts.size() * experts);
    for (std::size_t row = 0; row < m_rows.rowOf.size(); ++row) {
        for (std::size_t expert = 0; expert < experts; ++expert)
            m_table.expected[m_rows.rowOf[row] * experts + expert] += router.expected.value(row * experts + expert);
    }
}

void TableSum::addGroups(const RouterCounts& router)
{
    const StreamCounts& stream = m_counts.streamOf(router);
    m_table.groups.groups = m_counts.basis.groups;
    m_table.groups.documents.clear();
    for (const std::uint64_t documents : stream.groupDocuments)
        m_table.groups.documents.push_back(whole(documents));
    m_table.groups.positions.clear();
    for (const std::uint64_t positions : stream.groupPositions)
        m_table.groups.positions.push_back(whole(positions));
    for (std::size_t i = 0; i < router.groups.size(); ++i) {
        const std::uint32_t pair = router.groups.pair[i];
        m_groups.push_back({m_rows.rowOf[router.pairs.row[pair]], router.pairs.expert[pair], router.groups.kind[i],
                            whole(router.groups.count[i])});
    }
}

std::vector<ClassedSelection> TableSum::classes(const RouterCounts& router, const ClassCounts& counts,
                                                std::vector<ClassedSelection> before) const
{
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint32_t pair = counts.pair[i];
        before.push_back(
            {m_rows.rowOf[router.pairs.row[pair]], counts.kind[i], router.pairs.expert[pair], whole(counts.count[i])});
    }
    return before;
}

void TableSum::addTags(const RouterCounts& router)
{
    const auto experts = static_cast<std::size_t>(m_table.experts);
    if (router.tags.empty())
        return;
    const std::vector<std::string>& names = m_counts.basis.tags;
    m_table.tags.resize(names.size());
    for (std::size_t tag = 0; tag < names.size(); ++tag) {
        TagCounts& counts = m_table.tags[tag];
        counts.name = names[tag];
        counts.positions += whole(m_counts.streamOf(router).tagPositions[tag]);
        counts.selections.resize(experts);
        counts.gateMass.resize(experts);
        for (std::size_t e = 0; e < experts; ++e) {
            counts.selections[e] += whole(router.tags[tag * experts + e]);
            counts.gateMass[e] += router.tagGates.value(tag * experts + e);
        }
    }
}

void TableSum::addSoftmax(const RouterCounts& router)
{
    if (router.probabilities.size() == 0 ||
        m_rows.unit == RowUnit::Words) // the sums run over all positions, words leave some out
        return;
    if (!m_table.softmax)
        m_table.softmax = SoftmaxSums{std::vector<double>(static_cast<std::size_t>(m_table.experts)), 0};
    for (std::size_t e = 0; e < m_table.softmax->probabilities.size(); ++e)
        m_table.softmax->probabilities[e] += router.probabilities.value(e);
    m_table.softmax->squaredLogSumExp += router.squaredLogSumExp.value(0);
}

/// The counts of groups beside the pairs they belong to.
void TableSum::finishGroups()
{
    if (m_table.groups.empty())
        return;
    m_groups = merged(
        std::move(m_groups), [](const Grouped& g) { return std::tuple(g.row, g.expert, g.group); },
        [](Grouped& sum, const Grouped& g) { sum.count += g.count; });
    std::size_t at = 0;
    for (const TablePair& pair : m_table.pairs) {
        m_table.groups.first.push_back(m_table.groups.counts.size());
        for (; at < m_groups.size() && m_groups[at].row == pair.row && m_groups[at].expert == pair.expert; ++at)
            m_table.groups.counts.push_back({m_groups[at].group, m_groups[at].count});
    }
    m_table.groups.first.push_back(m_table.groups.counts.size());
}

RouterTable TableSum::finished()
{
    m_table.pairs = merged(
        std::move(m_table.pairs), [](const TablePair& p) { return std::pair(p.row, p.expert); },
        [](TablePair& sum, const TablePair& p) {
            sum.count += p.count;
            sum.early += p.early < 0 ? 0 : p.early;
            sum.gateMass += p.gateMass;
        });
    finishGroups();
    const auto key = [](const ClassedSelection& c) { return std::tuple(c.row, c.kind, c.expert); };
    const auto add = [](ClassedSelection& sum, const ClassedSelection& c) { sum.count += c.count; };
    m_table.previous = merged(std::move(m_table.previous), key, add);
    m_table.places = merged(std::move(m_table.places), key, add);
    return std::move(m_table);
}

std::string whyNoClasses(const Counts& counts, const RowMap& rows)
{
    if (rows.unit == RowUnit::Words)
        return "What stands before and the place are counted for pieces of the vocabulary, not for words.";
    return counts.basis.frequent.empty()
               ? "No frequent tokens were counted by what stands before them and by place (--frequent-tokens)."
               : "None of the frequent tokens, which alone are counted by what stands before and by place, was counted.";
}

/// [E, M + 1]; empty where it was not counted.
std::vector<std::int64_t> choicesTogether(const Counts& counts, const TablePlan& plan, const RouterTable& table)
{
    const auto found = std::find_if(counts.pooled.begin(), counts.pooled.end(), [&](const PooledCounts& pool) {
        return std::equal(pool.members.begin(), pool.members.end(), plan.members.begin(), plan.members.end());
    });
    if (found == counts.pooled.end())
        return {};
    const std::size_t members = plan.members.size();
    std::vector<std::int64_t> result;
    for (std::size_t e = 0; e < static_cast<std::size_t>(table.experts); ++e) {
        const auto times = std::span(found->positions).subspan(e * members, members);
        const auto chosen = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
        result.push_back(table.positions / static_cast<std::int64_t>(members) - whole(chosen));
        std::transform(times.begin(), times.end(), std::back_inserter(result), whole);
    }
    return result;
}

PooledChoices pooledChoices(const Counts& counts, const TablePlan& plan, const RowMap& rows, const RouterTable& table)
{
    const StreamCounts& stream = counts.streamOf(counts.routers[plan.members.front()]);
    const std::size_t members = plan.members.size();
    PooledChoices result;
    result.routers = static_cast<int>(members);
    result.positions = choicesTogether(counts, plan, table);
    std::map<std::uint32_t, std::vector<std::int64_t>> byRow;
    for (const TokenId id : counts.basis.frequent) {
        const auto row = stream.tokens.find(id);
        if (!row)
            continue;
        std::vector<std::int64_t>& into = byRow[rows.rowOf[*row]];
        into.resize(static_cast<std::size_t>(table.experts) * members);
        for (std::size_t member = 0; member < members; ++member) {
            const PairCounts& pairs = counts.routers[plan.members[member]].pairs;
            const auto [first, last] = pairs.ofRow(*row);
            for (std::size_t pair = first; pair < last; ++pair)
                into[pairs.expert[pair] * members + member] += whole(pairs.count[pair]);
        }
    }
    for (const auto& [row, choices] : byRow) {
        result.rows.push_back(row);
        result.ofRows.insert(result.ofRows.end(), choices.begin(), choices.end());
    }
    return result;
}

} // namespace

std::string_view toString(RowUnit unit)
{
    return unit == RowUnit::Words ? "words" : "pieces";
}

std::string_view toString(Pooling pooling)
{
    switch (pooling) {
    case Pooling::None: return "none";
    case Pooling::Heads: return "heads";
    case Pooling::Repeats: return "repeats";
    case Pooling::Layers: return "layers";
    }
    return "none";
}

std::string_view toString(LetterCase letters)
{
    return letters == LetterCase::Folded ? "folded" : "kept";
}

RowMap rowMap(const Counts& counts, int stream, RowUnit unit, LetterCase letters)
{
    if (unit == RowUnit::Words && !counts.basis.words)
        throw Error("Words were not counted in this pass; count the corpus again with --words.");
    const StreamCounts& texts = counts.streams.at(static_cast<std::size_t>(stream));
    const bool words = unit == RowUnit::Words;
    const std::size_t size = words ? texts.words.size() : texts.tokens.size();
    RowMap map;
    map.unit = unit;
    RowNames names;
    std::unordered_map<std::string, std::uint32_t> folded;
    for (std::size_t row = 0; row < size; ++row) {
        RowName name;
        name.text = words ? texts.words.words[row] : texts.tokens.pieces[row];
        if (!words)
            name.id = texts.tokens.ids[row];
        if (letters == LetterCase::Folded) {
            name.text = foldCase(name.text);
            const auto [found, added] = folded.try_emplace(name.text, static_cast<std::uint32_t>(names.size()));
            if (!added) {
                names[found->second].id.reset();
                map.rowOf.push_back(found->second);
                continue;
            }
        }
        map.rowOf.push_back(static_cast<std::uint32_t>(names.size()));
        names.push_back(std::move(name));
    }
    map.names = std::make_shared<const RowNames>(std::move(names));
    return map;
}

std::vector<TablePlan> tablePlans(const Counts& counts, std::span<const std::size_t> routers, Pooling pooling)
{
    std::vector<TablePlan> plans;
    std::map<std::string, std::size_t> place;
    for (const std::size_t index : routers) {
        const Router& router = counts.routers.at(index).router;
        const auto [found, added] = place.try_emplace(poolKey(router, pooling), plans.size());
        if (added)
            plans.push_back({{}, {}, router.stream});
        TablePlan& plan = plans[found->second];
        plan.members.push_back(index);
        requireAlike(counts.routers[plan.members.front()].router, router);
    }
    for (TablePlan& plan : plans)
        plan.router = pooledName(counts, plan.members, pooling);
    return plans;
}

RouterTable routerTable(const Counts& counts, const TablePlan& plan, const RowMap& rows)
{
    TableSum sum(counts, rows, counts.routers[plan.members.front()].router.experts);
    for (const std::size_t member : plan.members)
        sum.add(counts.routers[member]);
    RouterTable table = sum.finished();
    table.router = plan.router;
    if (table.previous.empty() && table.places.empty())
        table.whyNoClasses = whyNoClasses(counts, rows);
    if (rows.unit == RowUnit::Pieces && plan.members.size() > 1)
        table.pooled = std::make_shared<const PooledChoices>(pooledChoices(counts, plan, rows, table));
    return table;
}

} // namespace headscope::core
