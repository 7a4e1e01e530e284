// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/check_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>

namespace headscope::core {

namespace {

using Found = std::optional<std::string>;
using Numbers = std::vector<std::uint64_t>;

Found wrong(const std::string& tensor, std::size_t row, const std::string& what)
{
    return fmt::format("{} has {} at row {}", tensor, what, row);
}

/// Every number of a list beside what it must be, or may be at most.
Found equal(const std::string& tensor, const Numbers& values, const Numbers& wanted, std::string_view why)
{
    for (std::size_t row = 0; row < values.size(); ++row)
        if (values[row] != wanted[row])
            return wrong(tensor, row, fmt::format("{} where {} make {}", values[row], why, wanted[row]));
    return std::nullopt;
}

Found atMost(const std::string& tensor, const Numbers& values, const Numbers& most, std::string_view why)
{
    for (std::size_t row = 0; row < values.size(); ++row)
        if (values[row] > most[row])
            return wrong(tensor, row, fmt::format("{}, more than the {} of {}", values[row], most[row], why));
    return std::nullopt;
}

/// Sums of a table [rows, columns] over its columns, over its rows.
Numbers overColumns(const Numbers& table, std::size_t columns)
{
    Numbers sums(columns == 0 ? 0 : table.size() / columns, 0);
    for (std::size_t i = 0; i < table.size(); ++i)
        sums[i / columns] += table[i];
    return sums;
}
Numbers overRows(const Numbers& table, std::size_t columns)
{
    Numbers sums(columns, 0);
    for (std::size_t i = 0; i < table.size(); ++i)
        sums[i % columns] += table[i];
    return sums;
}
Numbers times(Numbers values, int factor)
{
    for (std::uint64_t& value : values)
        value *= static_cast<std::uint64_t>(factor);
    return values;
}

Found checkStream(const StreamCounts& stream, const CountBasis& basis, LastDocument last)
{
    const std::string name = "stream." + stream.name + ".";
    const TokenTable& tokens = stream.tokens;
    const auto groups = static_cast<std::size_t>(basis.groups);
    if (auto found = atMost(name + "tokens.early", tokens.early, tokens.count, "its count"))
        return found;
    if (auto found = equal(name + "tokens.count", tokens.count, overColumns(tokens.groups, groups), "its groups"))
        return found;
    if (auto found = equal(name + "groups.positions", stream.groupPositions, overRows(tokens.groups, groups), "its tokens"))
        return found;
    for (std::size_t group = 0; group < groups && last == LastDocument::Ended; ++group)
        if (stream.groupPositions[group] > 0 && stream.groupDocuments[group] == 0)
            return wrong(name + "groups.documents", group, "0 where positions were counted");
    for (std::size_t word = 0; word < stream.words.size(); ++word)
        if (stream.words.count[word] == 0 || stream.words.words[word].empty())
            return wrong(name + "words", word, "a word that is empty or never occurred");
    return std::nullopt;
}

/// One router's tensors beside each other and beside those of the text.
class RouterCheck
{
public:
    RouterCheck(const RouterCounts& router, const Counts& counts, LastDocument last)
        : m_router(router), m_stream(counts.streamOf(router)), m_basis(counts.basis),
          m_name(router.router.address.toString() + "."), m_experts(static_cast<std::size_t>(router.router.experts)),
          m_last(last)
    {
    }

    Found run() const
    {
        for (const auto check : {&RouterCheck::early, &RouterCheck::gates, &RouterCheck::expected, &RouterCheck::together,
                                 &RouterCheck::tags, &RouterCheck::groups, &RouterCheck::classes, &RouterCheck::words,
                                 &RouterCheck::softmax, &RouterCheck::margins})
            if (auto found = (this->*check)())
                return found;
        return std::nullopt;
    }

private:
    int chosen() const { return m_router.router.chosen; }

    Found early() const
    {
        const PairCounts& pairs = m_router.pairs;
        if (auto found = atMost(m_name + "pairs.early", pairs.early, pairs.count, "its count"))
            return found;
        Numbers ofTokens(m_stream.tokens.size(), 0);
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            ofTokens[pairs.row[pair]] += pairs.early[pair];
        const Numbers wanted = times(m_stream.tokens.early, chosen());
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            if (ofTokens[pairs.row[pair]] != wanted[pairs.row[pair]])
                return wrong(m_name + "pairs.early", pair,
                             fmt::format("a token whose pairs have {} where {} are counted", ofTokens[pairs.row[pair]],
                                         wanted[pairs.row[pair]]));
        return std::nullopt;
    }

    /// The most that one gate can be (docs/routing.md), in steps of 2⁻³².
    double mostOfAGate() const { return std::ldexp(1.0, m_router.router.gate == GateKind::Magnitude ? 63 : 32); }

    Found bounded(const std::string& tensor, const FixedSums& sums, const Numbers& count) const
    {
        for (std::size_t row = 0; row < count.size(); ++row)
            if (steps(sums, row) > mostOfAGate() * static_cast<double>(count[row]))
                return wrong(tensor, row,
                             fmt::format("gates of {} in sum, more than {} choices can have", sums.value(row), count[row]));
        return std::nullopt;
    }

    Found gates() const
    {
        const PairCounts& pairs = m_router.pairs;
        if (auto found = bounded(m_name + "pairs.gates", pairs.gates, pairs.count))
            return found;
        FixedSums ofExperts(m_experts);
        for (std::size_t pair = 0; pair < pairs.size(); ++pair)
            ofExperts.add(pairs.expert[pair], pairs.gates, pair);
        return sameSums(m_name + "gates", m_router.gates, ofExperts, "its pairs");
    }

    static Found sameSums(const std::string& tensor, const FixedSums& sums, const FixedSums& wanted, std::string_view why)
    {
        for (std::size_t row = 0; row < sums.size(); ++row)
            if (sums.low(row) != wanted.low(row) || sums.high(row) != wanted.high(row))
                return wrong(tensor, row, fmt::format("{} where {} make {}", sums.value(row), why, wanted.value(row)));
        return std::nullopt;
    }

    static double steps(const FixedSums& sums, std::size_t at) { return std::ldexp(sums.value(at), 32); }

    /// Σ_e E0(t,e) = k·n(t) and Σ_t E0(t,e) = n(e), but for half a step that each document's summand may be off.
    Found expected() const
    {
        const TokenTable& tokens = m_stream.tokens;
        const auto documents = static_cast<double>(m_stream.corpus.documents) + 1; // and one that may be open
        std::vector<double> ofExperts(m_experts, 0);
        double offExperts = 0;
        for (std::size_t token = 0; token < tokens.size(); ++token) {
            const double summands = std::min(documents, static_cast<double>(tokens.count[token]));
            double row = 0;
            for (std::size_t e = 0; e < m_experts; ++e) {
                const double value = steps(m_router.expected, token * m_experts + e);
                row += value;
                ofExperts[e] += value;
            }
            offExperts += summands / 2;
            if (isOff(row, static_cast<double>(tokens.count[token]) * chosen(),
                      summands * static_cast<double>(m_experts) / 2))
                return wrong(m_name + "expected", token,
                             fmt::format("{} in sum where the token's choices are {}", std::ldexp(row, -32),
                                         tokens.count[token] * static_cast<std::uint64_t>(chosen())));
        }
        for (std::size_t e = 0; e < m_experts; ++e)
            if (isOff(ofExperts[e], static_cast<double>(m_router.selections[e]), offExperts))
                return fmt::format("{}expected has {} in sum at expert {} where its choices are {}", m_name,
                                   std::ldexp(ofExperts[e], -32), e, m_router.selections[e]);
        return std::nullopt;
    }

    bool isOff(double inSteps, double wanted, double rounding) const
    {
        constexpr double relative = 1e-6; // of values that another program rounded to float
        const double all = std::ldexp(wanted, 32);
        const double most = rounding + 1 + all * relative;
        return inSteps > all + most || (m_last == LastDocument::Ended && inSteps < all - most);
    }

    Found together() const
    {
        const Numbers& both = m_router.together;
        for (std::size_t a = 0; a < m_experts; ++a)
            for (std::size_t b = 0; b < m_experts; ++b)
                if (both[a * m_experts + b] != both[b * m_experts + a])
                    return wrong(m_name + "together", a,
                                 fmt::format("{} and {} for experts {} and {}", both[a * m_experts + b],
                                             both[b * m_experts + a], a, b));
        Numbers rows = overColumns(both, m_experts);
        return equal(m_name + "together", rows, times(m_router.selections, chosen()), "its choices");
    }

    Found tags() const
    {
        if (m_basis.tags.empty())
            return std::nullopt;
        if (auto found = equal(m_name + "tags", overColumns(m_router.tags, m_experts),
                               times(m_stream.tagPositions, chosen()), "the positions of the tag"))
            return found;
        if (auto found =
                equal(m_name + "tags", overRows(m_router.tags, m_experts), m_router.selections, "choices of experts"))
            return found;
        if (auto found = bounded(m_name + "tags.gates", m_router.tagGates, m_router.tags))
            return found;
        FixedSums ofExperts(m_experts);
        for (std::size_t cell = 0; cell < m_router.tagGates.size(); ++cell)
            ofExperts.add(cell % m_experts, m_router.tagGates, cell);
        return sameSums(m_name + "tags.gates", ofExperts, m_router.gates, "its pairs");
    }

    Found groups() const
    {
        const auto groups = static_cast<std::size_t>(m_basis.groups);
        const PairCounts& pairs = m_router.pairs;
        const ClassCounts& classes = m_router.groups;
        Numbers ofPairs(pairs.size(), 0), selections(groups * m_experts, 0);
        Numbers ofToken(groups, 0); // of the pairs of one token, which lie together
        const auto checkToken = [&](std::uint32_t row) -> Found {
            for (std::size_t group = 0; group < groups; ++group) {
                const std::uint64_t wanted =
                    m_stream.tokens.groups[row * groups + group] * static_cast<std::uint64_t>(chosen());
                if (ofToken[group] != wanted)
                    return fmt::format(
                        "{}groups.count has {} in sum for the token at row {} in group {} where {} are counted", m_name,
                        ofToken[group], row, group, wanted);
                ofToken[group] = 0;
            }
            return std::nullopt;
        };
        for (std::size_t i = 0; i < classes.size(); ++i) {
            const std::uint32_t pair = classes.pair[i];
            ofPairs[pair] += classes.count[i];
            selections[classes.kind[i] * m_experts + pairs.expert[pair]] += classes.count[i];
            ofToken[classes.kind[i]] += classes.count[i];
            const bool last = i + 1 == classes.size() || pairs.row[classes.pair[i + 1]] != pairs.row[pair];
            if (last)
                if (auto found = checkToken(pairs.row[pair]))
                    return found;
        }
        if (auto found = equal(m_name + "groups.count, by pairs,", ofPairs, pairs.count, "counts"))
            return found;
        return equal(m_name + "groups.selections", m_router.groupSelections, selections, "its pairs");
    }

    /// Every position of a frequent token has a class, those of others have none.
    Found classes() const
    {
        std::vector<bool> frequent(m_stream.tokens.size(), false);
        for (const TokenId id : m_basis.frequent)
            if (const auto row = m_stream.tokens.find(id))
                frequent[*row] = true;
        for (const auto& [kind, classes] : {std::pair("previous", &m_router.previous), {"positions", &m_router.positions}}) {
            Numbers ofPairs(m_router.pairs.size(), 0);
            std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ofClasses; // by (token, class)
            for (std::size_t i = 0; i < classes->size(); ++i) {
                ofPairs[classes->pair[i]] += classes->count[i];
                ofClasses[{m_router.pairs.row[classes->pair[i]], classes->kind[i]}] += classes->count[i];
            }
            for (std::size_t pair = 0; pair < ofPairs.size(); ++pair) {
                const std::uint64_t wanted = frequent[m_router.pairs.row[pair]] ? m_router.pairs.count[pair] : 0;
                if (ofPairs[pair] != wanted)
                    return fmt::format("{}{}.count has {} in sum for the pair at row {} where {} have a class", m_name, kind,
                                       ofPairs[pair], pair, wanted);
            }
            for (const auto& [key, count] : ofClasses)
                if (count % static_cast<std::uint64_t>(chosen()) != 0)
                    return fmt::format("{}{}.count has {} choices in sum for the token at row {} in class {}, which are no "
                                       "whole positions",
                                       m_name, kind, count, key.first, key.second);
        }
        return std::nullopt;
    }

    Found words() const
    {
        if (!m_basis.words)
            return std::nullopt;
        if (auto found = bounded(m_name + "words.gates", m_router.words.gates, m_router.words.count))
            return found;
        Numbers ofExperts(m_experts, 0);
        FixedSums gates(m_experts);
        for (std::size_t i = 0; i < m_router.words.size(); ++i) {
            ofExperts[m_router.words.expert[i]] += m_router.words.count[i];
            gates.add(m_router.words.expert[i], m_router.words.gates, i);
        }
        if (auto found = atMost(m_name + "words.count of experts", ofExperts, m_router.selections, "its choices"))
            return found;
        for (std::size_t e = 0; e < m_experts; ++e)
            if (steps(gates, e) > steps(m_router.gates, e) * (1 + 1e-12))
                return fmt::format("{}words.gates has more in sum for expert {} than all its pairs", m_name, e);
        return std::nullopt;
    }

    /// Probabilities add up to 1 at every position, but for their rounding.
    Found softmax() const
    {
        if (m_router.probabilities.size() == 0)
            return std::nullopt;
        const auto positions = static_cast<double>(m_stream.corpus.positions);
        double sum = 0;
        for (std::size_t e = 0; e < m_experts; ++e) {
            sum += m_router.probabilities.value(e);
            if (m_router.probabilities.value(e) > positions * (1 + 1e-9))
                return wrong(m_name + "probabilities", e,
                             fmt::format("{}, more than {} positions can have", m_router.probabilities.value(e), positions));
        }
        if (std::abs(sum - positions) > positions * (1e-9 + static_cast<double>(m_experts) * 0x1p-33))
            return fmt::format("{}probabilities add up to {} over {} positions", m_name, sum, positions);
        if (m_router.squaredLogSumExp.value(0) > positions * 0x1p30)
            return wrong(m_name + "squaredLogSumExp", 0, "more than logits can have");
        return std::nullopt;
    }

    Found margins() const
    {
        if (m_router.margins.empty())
            return std::nullopt;
        std::uint64_t sum = 0;
        for (const std::uint64_t count : m_router.margins)
            sum += count;
        if (sum != m_stream.corpus.positions)
            return fmt::format("{}margins has {} in sum, over {} positions", m_name, sum, m_stream.corpus.positions);
        return std::nullopt;
    }

    const RouterCounts& m_router;
    const StreamCounts& m_stream;
    const CountBasis& m_basis;
    std::string m_name;
    std::size_t m_experts;
    LastDocument m_last;
};

/// Every expert of one router is chosen as often as it is chosen at all, at k choices of the other.
Found checkJoint(const JointCounts& joint, const Counts& counts)
{
    const RouterCounts& a = counts.routers[joint.source];
    const RouterCounts& b = counts.routers[joint.destination];
    const std::string name = a.router.address.toString() + " x " + b.router.address.toString();
    if (auto found = equal(name, overColumns(joint.together, b.selections.size()), times(a.selections, b.router.chosen),
                           "the choices of the first"))
        return found;
    return equal(name, overRows(joint.together, b.selections.size()), times(b.selections, a.router.chosen),
                 "the choices of the second");
}

/// c routers that chose an expert at a position are c of its choices.
Found checkPool(std::size_t place, const Counts& counts)
{
    const PooledCounts& pool = counts.pooled[place];
    const std::size_t members = pool.members.size();
    const std::uint64_t positions = counts.streamOf(counts.routers[pool.members.front()]).corpus.positions;
    const std::size_t experts = counts.routers[pool.members.front()].selections.size();
    for (std::size_t e = 0; e < experts; ++e) {
        std::uint64_t choices = 0, at = 0, wanted = 0;
        for (std::size_t c = 1; c <= members; ++c) {
            at += pool.positions[e * members + c - 1];
            choices += c * pool.positions[e * members + c - 1];
        }
        for (const std::uint32_t member : pool.members)
            wanted += counts.routers[member].selections[e];
        if (choices != wanted || at > positions)
            return wrong(
                fmt::format("pools.{}.positions", place), e,
                fmt::format("{} choices at {} positions where its routers made {} at {}", choices, at, wanted, positions));
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> wrongSumIn(const Counts& counts, LastDocument last)
{
    for (const StreamCounts& stream : counts.streams)
        if (auto found = checkStream(stream, counts.basis, last))
            return found;
    for (const RouterCounts& router : counts.routers)
        if (auto found = RouterCheck(router, counts, last).run())
            return found;
    for (const JointCounts& joint : counts.joint)
        if (auto found = checkJoint(joint, counts))
            return found;
    for (std::size_t pool = 0; pool < counts.pooled.size(); ++pool)
        if (auto found = checkPool(pool, counts))
            return found;
    return std::nullopt;
}

} // namespace headscope::core
