// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/router_tables.h"

#include "core/corpus/windows.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope::core {

namespace {

constexpr std::size_t bins = 32; // of positions: windows have fewer than 2³¹ tokens
constexpr std::uint64_t bytesKeptWhole = std::uint64_t{512} << 20; // for the class tables of all routers together

__extension__ typedef unsigned __int128 Wide;

/// round(t·e/n · 2³²), halves up.
std::uint64_t expectedSteps(std::uint64_t token, std::uint64_t expert, std::uint64_t positions)
{
    constexpr std::uint64_t small = std::uint64_t{1} << 31;
    if (token < small && expert < small && token * expert < small)
        return ((token * expert << 32) + positions / 2) / positions;
    const Wide product = static_cast<Wide>(token) * expert;
    return static_cast<std::uint64_t>(((product << 32) + positions / 2) / positions);
}

bool isSoftmax(GateKind gate)
{
    return gate == GateKind::SoftmaxAll || gate == GateKind::SoftmaxChosen;
}

std::uint64_t gateSteps(float gate, const SiteRouting& site, int head)
{
    if (!(gate >= 0 && gate < 0x1p31F))
        throw Error(fmt::format("{} gave a gate of {}, which cannot be counted; the weights of this checkpoint are damaged or overflow.",
                                site.address(head).toString(), gate));
    return FixedSums::steps(gate);
}

} // namespace

RouterTables::RouterTables(Router router, const TableSizes& sizes)
    : m_router(std::move(router)),
      m_sizes(sizes),
      m_cells(sizes.rows * experts()),
      m_expected(sizes.rows * experts()),
      m_together(experts() * experts()),
      m_tags(sizes.tags * experts()),
      m_tagGates(sizes.tags * experts())
{
    const std::uint64_t whole = bytesKeptWhole / sizeof(std::uint32_t) / 3 / std::max<std::size_t>(sizes.routers, 1);
    m_previous = CellCounts(sizes.frequent * experts() * (sizes.frequent + 2), whole);
    m_positions = CellCounts(sizes.frequent * experts() * bins, whole);
    m_groups = CellCounts(sizes.rows * experts() * sizes.groups, whole);
    if (isSoftmax(m_router.gate)) {
        m_probabilities.resize(experts());
        m_squaredLogSumExp.resize(1);
    }
    if (m_router.chosen < m_router.experts)
        m_margins.resize(marginBins);
}

void RouterTables::addToCell(std::size_t cell, std::uint64_t steps)
{
    if (__builtin_add_overflow(m_cells[cell].gates, steps, &m_cells[cell].gates))
        ++m_carries[cell];
}

/// The probabilities of all experts and the square of log Σ exp, for the balance losses.
void RouterTables::addSoftmax(std::span<const float> logits)
{
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit) - largest);
    const double logSumExp = largest + std::log(sum);
    if (!std::isfinite(logSumExp) || std::abs(logSumExp) > 0x1p15)
        throw Error(fmt::format("{} gave logits that cannot be counted; the weights of this checkpoint are damaged or overflow.",
                                m_router.address.toString()));
    m_squaredLogSumExp.add(0, FixedSums::steps(logSumExp * logSumExp));
    for (std::size_t expert = 0; expert < logits.size(); ++expert)
        m_probabilities.add(expert, FixedSums::steps(std::exp(static_cast<double>(logits[expert]) - logSumExp)));
}

std::vector<std::uint64_t> RouterTables::add(const SiteRouting& site, int head, std::span<const CountedPosition> positions,
                                             std::uint32_t group)
{
    const std::size_t E = experts();
    const auto k = static_cast<std::size_t>(m_router.chosen);
    const std::size_t M = m_sizes.frequent;
    std::vector<std::uint64_t> selections(E);
    for (const CountedPosition& position : positions) {
        const std::size_t slot = site.slot(position.place, head, 0);
        const std::span<const std::int32_t> chosen(site.experts.data() + slot, k);
        for (std::size_t i = 0; i < k; ++i) {
            const auto e = static_cast<std::size_t>(chosen[i]);
            const std::uint64_t steps = gateSteps(site.gates[slot + i], site, head);
            const std::size_t cell = position.row * E + e;
            addToCell(cell, steps);
            ++m_cells[cell].count;
            m_cells[cell].early += position.early ? 1 : 0;
            ++selections[e];
            m_groups.add(cell * m_sizes.groups + group);
            if (position.frequent < M) {
                const std::size_t entry = position.frequent * E + e;
                m_previous.add(entry * (M + 2) + position.previous);
                m_positions.add(entry * bins + position.bin);
            }
            for (const std::int32_t other : chosen)
                ++m_together[e * E + static_cast<std::size_t>(other)];
            if (!m_tags.empty()) {
                ++m_tags[position.tag * E + e];
                m_tagGates.add(position.tag * E + e, steps);
            }
            if (m_sizes.words && position.word != noWord) {
                WordCell& word = m_words[position.word * std::uint64_t{E} + e];
                word.high += __builtin_add_overflow(word.gates, steps, &word.gates) ? 1 : 0;
                ++word.count;
            }
        }
        if (!m_margins.empty())
            ++m_margins[marginBin(site.margins[site.margin(position.place, head)])];
        if (m_probabilities.size() > 0)
            addSoftmax({site.logits.data() + site.logit(position.place, head, 0), E});
    }
    return selections;
}

void RouterTables::addExpected(const std::unordered_map<std::uint32_t, std::uint64_t>& tokens, std::span<const std::uint64_t> ofExperts,
                               std::uint64_t positions)
{
    for (const auto& [row, count] : tokens)
        for (std::size_t expert = 0; expert < ofExperts.size(); ++expert)
            if (ofExperts[expert] > 0)
                m_expected.add(row * ofExperts.size() + expert, expectedSteps(count, ofExperts[expert], positions));
}

void RouterTables::add(const RouterCounts& counted, const RowMaps& maps)
{
    const std::size_t E = experts();
    const PairCounts& pairs = counted.pairs;
    std::vector<std::size_t> cellOfPair(pairs.size());
    std::vector<std::size_t> frequentOfPair(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::uint32_t row = maps.rows[pairs.row[i]];
        const std::size_t cell = cellOfPair[i] = row * E + pairs.expert[i];
        frequentOfPair[i] = maps.frequentOfRow[row] * E + pairs.expert[i];
        addToCell(cell, pairs.gates.low(i));
        if (pairs.gates.high(i) > 0)
            m_carries[cell] += pairs.gates.high(i);
        m_cells[cell].count += static_cast<std::uint32_t>(pairs.count[i]);
        m_cells[cell].early += static_cast<std::uint32_t>(pairs.early[i]);
    }
    for (std::size_t row = 0; row < maps.rows.size(); ++row)
        for (std::size_t expert = 0; expert < E; ++expert)
            m_expected.add(maps.rows[row] * E + expert, counted.expected, row * E + expert);
    const auto addAll = [](std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
        for (std::size_t i = 0; i < into.size(); ++i)
            into[i] += from[i];
    };
    const auto addSums = [](FixedSums& into, const FixedSums& from) {
        for (std::size_t i = 0; i < into.size(); ++i)
            into.add(i, from, i);
    };
    const auto addClasses = [](CellCounts& into, const ClassCounts& from, const std::vector<std::size_t>& entryOfPair, std::size_t kinds) {
        for (std::size_t i = 0; i < from.size(); ++i)
            into.add(entryOfPair[from.pair[i]] * kinds + from.kind[i], static_cast<std::uint32_t>(from.count[i]));
    };
    addAll(m_together, counted.together);
    addAll(m_tags, counted.tags);
    addSums(m_tagGates, counted.tagGates);
    addSums(m_probabilities, counted.probabilities);
    addSums(m_squaredLogSumExp, counted.squaredLogSumExp);
    addAll(m_margins, counted.margins);
    addClasses(m_previous, counted.previous, frequentOfPair, m_sizes.frequent + 2);
    addClasses(m_positions, counted.positions, frequentOfPair, bins);
    addClasses(m_groups, counted.groups, cellOfPair, m_sizes.groups);
    for (std::size_t i = 0; i < counted.words.size(); ++i) {
        WordCell& word = m_words[maps.words[counted.words.row[i]] * std::uint64_t{E} + counted.words.expert[i]];
        word.high += counted.words.gates.high(i) + (__builtin_add_overflow(word.gates, counted.words.gates.low(i), &word.gates) ? 1 : 0);
        word.count += counted.words.count[i];
    }
}

PairCounts RouterTables::pairs(const RowSelection& selection, std::vector<std::uint32_t>& indexOfCell) const
{
    const std::size_t E = experts();
    PairCounts pairs;
    std::vector<std::size_t> cells;
    for (std::size_t row = 0; row < selection.rows.size(); ++row)
        for (std::size_t expert = 0; expert < E; ++expert) {
            const std::size_t cell = selection.rows[row] * E + expert;
            if (m_cells[cell].count == 0)
                continue;
            indexOfCell[cell] = static_cast<std::uint32_t>(cells.size());
            cells.push_back(cell);
            pairs.row.push_back(static_cast<std::uint32_t>(row));
            pairs.expert.push_back(static_cast<std::uint32_t>(expert));
            pairs.count.push_back(m_cells[cell].count);
            pairs.early.push_back(m_cells[cell].early);
        }
    std::vector<std::uint64_t> low;
    std::vector<std::uint64_t> high;
    for (const std::size_t cell : cells)
        low.push_back(m_cells[cell].gates);
    if (!m_carries.empty()) {
        high.resize(cells.size());
        for (const auto& [cell, carry] : m_carries)
            high[indexOfCell[cell]] = carry;
    }
    pairs.gates = FixedSums(std::move(low), std::move(high));
    return pairs;
}

PairCounts RouterTables::wordPairs(const RowSelection& selection) const
{
    const std::size_t E = experts();
    std::vector<std::pair<std::uint64_t, const WordCell*>> cells; // in the order of the counts
    for (const auto& [cell, word] : m_words)
        cells.emplace_back(selection.words[cell / E] * std::uint64_t{E} + cell % E, &word);
    std::sort(cells.begin(), cells.end());
    PairCounts pairs;
    std::vector<std::uint64_t> low;
    std::vector<std::uint64_t> high;
    std::uint64_t before = UINT64_MAX;
    for (const auto& [cell, word] : cells) {
        if (std::exchange(before, cell) == cell) { // another spelling of the word
            pairs.count.back() += word->count;
            high.back() += word->high + (__builtin_add_overflow(low.back(), word->gates, &low.back()) ? 1 : 0);
            continue;
        }
        pairs.row.push_back(static_cast<std::uint32_t>(cell / E));
        pairs.expert.push_back(static_cast<std::uint32_t>(cell % E));
        pairs.count.push_back(word->count);
        low.push_back(word->gates);
        high.push_back(word->high);
    }
    if (std::all_of(high.begin(), high.end(), [](std::uint64_t value) { return value == 0; }))
        high.clear();
    pairs.gates = FixedSums(std::move(low), std::move(high));
    return pairs;
}

/// Entries are rows or frequent tokens; `rowOfEntry` gives their rows in the tables.
ClassCounts RouterTables::classes(const CellCounts& cells, std::size_t kinds, const std::vector<std::uint32_t>& rowOfEntry,
                                  const std::vector<std::uint32_t>& pairOfCell) const
{
    const std::size_t E = experts();
    struct Entry {
        std::uint32_t pair;
        std::uint32_t kind;
        std::uint32_t count;
    };
    std::vector<Entry> entries;
    for (const auto& [cell, count] : cells.sorted()) {
        const std::uint64_t entry = cell / kinds / E;
        const std::size_t row = rowOfEntry.empty() ? entry : rowOfEntry[entry];
        entries.push_back({pairOfCell[row * E + cell / kinds % E], static_cast<std::uint32_t>(cell % kinds), count});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return std::pair(a.pair, a.kind) < std::pair(b.pair, b.kind); });
    ClassCounts result;
    for (const Entry& entry : entries) {
        result.pair.push_back(entry.pair);
        result.kind.push_back(entry.kind);
        result.count.push_back(entry.count);
    }
    return result;
}

RouterCounts RouterTables::counts(const RowSelection& selection) const
{
    const std::size_t E = experts();
    RouterCounts counted;
    counted.router = m_router;
    std::vector<std::uint32_t> pairOfCell(m_cells.size());
    counted.pairs = pairs(selection, pairOfCell);
    counted.selections.resize(E);
    counted.gates.resize(E);
    for (std::size_t i = 0; i < counted.pairs.size(); ++i) {
        counted.selections[counted.pairs.expert[i]] += counted.pairs.count[i];
        counted.gates.add(counted.pairs.expert[i], counted.pairs.gates, i);
    }
    counted.expected.resize(selection.rows.size() * E);
    for (std::size_t row = 0; row < selection.rows.size(); ++row)
        for (std::size_t expert = 0; expert < E; ++expert)
            counted.expected.add(row * E + expert, m_expected, selection.rows[row] * E + expert);
    counted.together = m_together;
    counted.tags = m_tags;
    counted.tagGates = m_tagGates;
    counted.previous = classes(m_previous, m_sizes.frequent + 2, selection.frequentRows, pairOfCell);
    counted.positions = classes(m_positions, bins, selection.frequentRows, pairOfCell);
    counted.groups = classes(m_groups, m_sizes.groups, {}, pairOfCell);
    counted.groupSelections.resize(m_sizes.groups * E);
    for (std::size_t i = 0; i < counted.groups.size(); ++i)
        counted.groupSelections[counted.groups.kind[i] * E + counted.pairs.expert[counted.groups.pair[i]]] += counted.groups.count[i];
    if (m_sizes.words)
        counted.words = wordPairs(selection);
    counted.probabilities = m_probabilities;
    counted.squaredLogSumExp = m_squaredLogSumExp;
    counted.margins = m_margins;
    return counted;
}

} // namespace headscope::core
