// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/pair_statistics.h"

#include "core/stats/group_intervals.h"
#include "core/stats/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace headscope::core {

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// The sums that p(t,e), p(t), p(e) are made of, α included.
struct Joint {
    std::vector<double> rows;    // [T], x(t) + αE
    std::vector<double> experts; // [E], x(e) + αT
    double all = 0;              // X + αTE
    double alpha = 0;
    Weighting weighting = Weighting::Selections;

    double of(const TablePair& pair) const
    {
        return (weighting == Weighting::Gates ? pair.gateMass : static_cast<double>(pair.count)) + alpha;
    }
};

Joint jointOf(const RouterTable& table, Weighting weighting, double alpha)
{
    Joint joint;
    joint.weighting = weighting;
    joint.rows.assign(table.rowsCount(), 0);
    joint.experts.assign(static_cast<std::size_t>(table.experts), 0);
    for (const TablePair& pair : table.pairs) {
        const double x = joint.of(pair);
        joint.rows[pair.row] += x;
        joint.experts[pair.expert] += x;
        joint.all += x;
    }
    joint.alpha = alpha;
    const auto rows = static_cast<double>(table.rowsCount());
    for (double& row : joint.rows)
        row += alpha * table.experts;
    for (double& expert : joint.experts)
        expert += alpha * rows;
    joint.all += alpha * rows * table.experts;
    return joint;
}

void setEffects(PairStatistics& statistics, const Joint& joint, double x)
{
    const double row = joint.rows[statistics.row];
    const double expert = joint.experts[statistics.expert];
    statistics.expertGivenToken = row > 0 ? x / row : blank;
    statistics.tokenGivenExpert = expert > 0 ? x / expert : blank;
    statistics.lift = row > 0 && expert > 0 ? x * joint.all / (row * expert) : blank;
    statistics.pmi = statistics.lift > 0 ? std::log2(statistics.lift) : blank; // a gate mass may round to 0
    statistics.ppmi = std::isnan(statistics.pmi) ? blank : std::max(0.0, statistics.pmi);
    const double surprise = -std::log2(x / joint.all);
    statistics.npmi = surprise > 0 ? statistics.pmi / surprise : blank;
}

std::string tooFewDocuments(const RouterTable& table)
{
    const std::int64_t documents = documentsHolding(table);
    if (documents >= fewestDocuments)
        return {};
    return fmt::format("{} document{} counted; {} are needed.", documents, documents == 1 ? " was" : "s were",
                       fewestDocuments);
}

std::string tooFewGroups(const RouterTable& table)
{
    const int groups = groupsHolding(table.groups);
    const int needed = fewestGroups(table.groups.groups);
    if (groups >= needed)
        return {};
    return fmt::format("{} of {} groups of documents hold{} something (equal documents are in one); {} are needed.", groups,
                       table.groups.groups, groups == 1 ? "s" : "", needed);
}

std::string whyNoNull(const RouterTable& table, Weighting weighting)
{
    if (weighting == Weighting::Gates)
        return "The document null is gathered on selections, not on gates.";
    if (table.expected.empty())
        return "The document null was not gathered for this table.";
    return tooFewDocuments(table);
}

std::string whyNoInterval(const RouterTable& table, const PairSettings& settings, Weighting weighting)
{
    if (settings.bootstrap.replicates <= 0)
        return "No intervals were asked for.";
    if (weighting == Weighting::Gates)
        return "The groups of documents hold selections, not gates.";
    if (table.groups.empty())
        return "Groups of documents were not gathered for this table.";
    std::string why = tooFewDocuments(table);
    return why.empty() ? tooFewGroups(table) : why;
}

/// Why a pair has no interval where others have.
std::string whyNoIntervalOf(const RouterTable& table, const PairStatistics& pair)
{
    if (pair.expected < smallestExpected)
        return "Chance would give it fewer than 5 times: too few to say how far PMI may be off.";
    const auto first =
        std::partition_point(table.pairs.begin(), table.pairs.end(), [&](const TablePair& p) { return p.row < pair.row; });
    std::set<std::uint32_t> groups;
    for (auto at = first; at != table.pairs.end() && at->row == pair.row; ++at) {
        for (const GroupCount& count : table.groups.of(static_cast<std::size_t>(at - table.pairs.begin())))
            groups.insert(count.group);
    }
    return groups.size() < 2 ? "The token occurs in a single group of documents."
                             : "The pair occurs in a single group of documents.";
}

/// q of every tested pair that occurred. Unseen pairs are tested too: theirs are values among which the others are ranked.
void setTests(PairTable& result, const RouterTable& table, const PairSettings& settings)
{
    const auto experts = static_cast<std::size_t>(table.experts);
    std::vector<double> p;
    std::vector<std::size_t> listed; // for each tested pair its place in result.pairs, or none
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::size_t pair = 0;
    std::size_t place = 0;
    for (std::size_t row = 0; row < table.rowsCount(); ++row) {
        const bool common = table.rowCounts[row] >= settings.minimum;
        for (std::size_t expert = 0; expert < experts; ++expert) {
            const bool seen =
                pair < table.pairs.size() && table.pairs[pair].row == row && table.pairs[pair].expert == expert;
            const std::int64_t count = seen ? table.pairs[pair].count : 0;
            pair += seen ? 1 : 0;
            const bool isListed = seen && place < result.pairs.size() && result.pairs[place].row == row &&
                                  result.pairs[place].expert == expert;
            if (common) {
                const Independence test =
                    independence(count, table.rowCounts[row], table.selections[expert], table.positions);
                const bool trusted = test.smallest >= smallestExpected;
                if (isListed) {
                    result.pairs[place].g2 = test.g2;
                    result.pairs[place].p = trusted ? test.p : blank;
                }
                if (trusted) {
                    p.push_back(test.p);
                    listed.push_back(isListed ? place : none);
                }
            }
            place += isListed ? 1 : 0;
        }
    }
    const std::vector<double> q = benjaminiHochberg(p);
    for (std::size_t i = 0; i < q.size(); ++i) {
        if (listed[i] != none)
            result.pairs[listed[i]].q = q[i];
    }
    result.tested = static_cast<std::int64_t>(p.size());
}

void setIntervals(PairTable& result, const RouterTable& table, const std::vector<bool>& listed, const PairSettings& settings,
                  const Progress& progress)
{
    const auto intervals = groupIntervals(table, listed, settings.alpha, settings.bootstrap.level, progress);
    std::size_t place = 0;
    for (std::size_t pair = 0; pair < listed.size(); ++pair) {
        if (!listed[pair])
            continue;
        result.pairs[place].pmiLow = intervals[pair].first;
        result.pairs[place].pmiHigh = intervals[pair].second;
        ++place;
    }
}

} // namespace

std::string_view toString(Weighting weighting)
{
    return weighting == Weighting::Gates ? "gates" : "selections";
}

Weighting weightingOf(const RouterTable& table, const PairSettings& settings)
{
    return settings.weighting.value_or(table.chosen >= table.experts ? Weighting::Gates : Weighting::Selections);
}

BlankColumns blankColumns(const RouterTable& table, const PairSettings& settings)
{
    const Weighting weighting = weightingOf(table, settings);
    return {whyNoNull(table, weighting), whyNoInterval(table, settings, weighting),
            weighting == Weighting::Gates ? "Tests are defined on selections, not on gates." : ""};
}

PairTable pairStatistics(const RouterTable& table, const PairSettings& settings, const Progress& progress)
{
    PairTable result;
    result.weighting = weightingOf(table, settings);
    result.blank = blankColumns(table, settings);
    const Joint joint = jointOf(table, result.weighting, settings.alpha);
    std::vector<bool> listed(table.pairs.size());
    for (std::size_t i = 0; i < table.pairs.size(); ++i) {
        const TablePair& pair = table.pairs[i];
        if (table.rowCounts[pair.row] < settings.minimum || pair.count < settings.minimumPair)
            continue;
        listed[i] = true;
        PairStatistics statistics{.row = pair.row, .expert = pair.expert, .count = pair.count, .gateMass = pair.gateMass};
        statistics.earlyShare = pair.early < 0 ? blank : static_cast<double>(pair.early) / static_cast<double>(pair.count);
        setEffects(statistics, joint, joint.of(pair));
        statistics.expected = static_cast<double>(table.rowCounts[pair.row]) *
                              static_cast<double>(table.selections[pair.expert]) / static_cast<double>(table.positions);
        const double composed = result.blank.null.empty() ? table.expectedOf(pair.row, pair.expert) : 0;
        statistics.nullPmi = composed > 0 ? std::log2(composed / statistics.expected) : blank;
        statistics.pmiLow = statistics.pmiHigh = statistics.g2 = statistics.p = statistics.q = blank;
        result.pairs.push_back(statistics);
    }
    progress.checkpoint();
    if (result.blank.test.empty())
        setTests(result, table, settings);
    if (result.blank.interval.empty())
        setIntervals(result, table, listed, settings, progress);
    return result;
}

const PairColumnInfo& info(PairColumn column)
{
    static constexpr std::array<PairColumnInfo, pairColumns> infos{{
        {"n_te", "n(t,e): positions where token t stands and expert e is chosen", true},
        {"n_t", "n(t): positions where token t stands", true},
        {"n_e", "n(e): positions where expert e is chosen", true},
        {"N", "N: routed positions of this router", true},
        {"lift", "p(t,e)/(p(t)·p(e)); by selections p(t,e) = n(t,e)/(kN), p(t) = n(t)/N, p(e) = n(e)/(kN); by gates p(t,e) "
                 "= G(t,e)/G, "
                 "p(t) = G(t)/G, p(e) = G(e)/G; with α: (x(t,e)+α)/(X+αTE), (x(t)+αE)/(X+αTE), (x(e)+αT)/(X+αTE)"},
        {"pmi", "log2 lift"},
        {"gate_mass", "G(t,e): sum of the gates of expert e at token t"},
        {"p_e_given_t", "P(e|t) = p(t,e)/p(t)"},
        {"p_t_given_e", "P(t|e) = p(t,e)/p(e)"},
        {"ppmi", "max(0, PMI)"},
        {"npmi", "PMI/-log2 p(t,e)"},
        {"null_pmi", "log2(E0(t,e)·N/(n(t)·n(e))), E0(t,e) = Σ_d n_d(t)·n_d(e)/N_d over documents d; blank below 20 "
                     "documents and by gates"},
        {"pmi_low", "lower end of the 95 % interval of PMI: jackknife over groups of documents, Student's t; blank below 20 "
                    "documents or min(20, G/2) groups, by gates, for a token or pair of a single group, and where "
                    "n(t)·n(e)/N < 5"},
        {"pmi_high", "upper end of it"},
        {"expected", "n(t)·n(e)/N"},
        {"g2", "2 Σ O·ln(O/E) over token is t or not × expert e chosen or not, N positions; negative where n(t,e) < "
               "expected; blank by gates"},
        {"p", "P(χ²₁ >= |G²|), exploratory; blank by gates and where one of the four expected counts is below 5", false,
         true},
        {"q",
         "Benjamini-Hochberg over all pairs of the router with n(t) >= min-count and four expected counts >= 5, unseen "
         "pairs included",
         false, true},
        {"early_share", "share of n(t,e) that falls on the first 8 positions of a window; blank for words"},
    }};
    return infos[static_cast<std::size_t>(column)];
}

std::optional<PairColumn> pairColumn(std::string_view name)
{
    for (int column = 0; column < pairColumns; ++column) {
        if (info(static_cast<PairColumn>(column)).name == name)
            return static_cast<PairColumn>(column);
    }
    return std::nullopt;
}

double value(const RouterTable& table, const PairStatistics& pair, PairColumn column)
{
    switch (column) {
    case PairColumn::Count: return static_cast<double>(pair.count);
    case PairColumn::RowCount: return static_cast<double>(table.rowCounts[pair.row]);
    case PairColumn::ExpertCount: return static_cast<double>(table.selections[pair.expert]);
    case PairColumn::Positions: return static_cast<double>(table.positions);
    case PairColumn::Lift: return pair.lift;
    case PairColumn::Pmi: return pair.pmi;
    case PairColumn::GateMass: return pair.gateMass;
    case PairColumn::ExpertGivenToken: return pair.expertGivenToken;
    case PairColumn::TokenGivenExpert: return pair.tokenGivenExpert;
    case PairColumn::Ppmi: return pair.ppmi;
    case PairColumn::Npmi: return pair.npmi;
    case PairColumn::NullPmi: return pair.nullPmi;
    case PairColumn::PmiLow: return pair.pmiLow;
    case PairColumn::PmiHigh: return pair.pmiHigh;
    case PairColumn::Expected: return pair.expected;
    case PairColumn::G2: return pair.g2;
    case PairColumn::P: return pair.p;
    case PairColumn::Q: return pair.q;
    case PairColumn::EarlyShare: return pair.earlyShare;
    }
    return blank;
}

std::string whyBlank(const RouterTable& table, const PairTable& statistics, const PairStatistics& pair, PairColumn column)
{
    if (!std::isnan(value(table, pair, column)))
        return {};
    switch (column) {
    case PairColumn::NullPmi: return statistics.blank.null;
    case PairColumn::PmiLow:
    case PairColumn::PmiHigh:
        return statistics.blank.interval.empty() ? whyNoIntervalOf(table, pair) : statistics.blank.interval;
    case PairColumn::G2: return statistics.blank.test;
    case PairColumn::P:
    case PairColumn::Q:
        return statistics.blank.test.empty() ? "One of the four expected counts is below 5: χ² is not to be trusted."
                                             : statistics.blank.test;
    case PairColumn::EarlyShare: return "It was not gathered for this table.";
    case PairColumn::Npmi: return "Nothing but this pair occurs.";
    default: return "The gates of this pair add up to 0.";
    }
}

std::vector<std::size_t> sortedByExpert(const RouterTable& table, const PairTable& statistics, PairColumn column,
                                        std::size_t top)
{
    std::vector<std::vector<std::size_t>> experts(static_cast<std::size_t>(table.experts));
    for (std::size_t i = 0; i < statistics.pairs.size(); ++i)
        experts[statistics.pairs[i].expert].push_back(i);
    const double sign = info(column).lowestFirst ? 1 : -1;
    const auto before = [&](std::size_t a, std::size_t b) {
        const PairStatistics& left = statistics.pairs[a];
        const PairStatistics& right = statistics.pairs[b];
        const double x = sign * value(table, left, column);
        const double y = sign * value(table, right, column);
        if (std::isnan(x) != std::isnan(y))
            return std::isnan(y);
        if (x < y || y < x)
            return x < y;
        if (left.count != right.count)
            return left.count > right.count;
        const RowName& leftName = (*table.rows)[left.row];
        const RowName& rightName = (*table.rows)[right.row];
        return leftName.id != rightName.id ? leftName.id < rightName.id : left.row < right.row;
    };
    std::vector<std::size_t> sorted;
    for (std::vector<std::size_t>& expert : experts) {
        const std::size_t kept = top == 0 ? expert.size() : std::min(top, expert.size());
        std::partial_sort(expert.begin(), expert.begin() + static_cast<std::ptrdiff_t>(kept), expert.end(), before);
        sorted.insert(sorted.end(), expert.begin(), expert.begin() + static_cast<std::ptrdiff_t>(kept));
    }
    return sorted;
}

} // namespace headscope::core
