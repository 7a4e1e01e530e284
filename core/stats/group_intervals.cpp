// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/group_intervals.h"

#include "core/stats/pair_statistics.h"
#include "core/stats/student.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::core {

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// Sums over the groups that hold something, by their places in `groups`.
using GroupSums = std::vector<double>;

/// One table, group by group.
class GroupedTable
{
public:
    GroupedTable(const RouterTable& table, double alpha)
        : m_table(table), m_alpha(alpha), m_place(static_cast<std::size_t>(table.groups.groups), 0)
    {
        std::vector<bool> holds(m_place.size(), false);
        for (const GroupCount& count : table.groups.counts)
            holds[count.group] = true;
        for (std::size_t group = 0; group < holds.size(); ++group) {
            m_place[group] = m_groups;
            m_groups += holds[group] ? 1 : 0;
        }
        const auto experts = static_cast<std::size_t>(table.experts);
        m_onExperts = alpha * table.experts;
        m_onRows = alpha * static_cast<double>(table.rowsCount());
        GroupSums all(m_groups, 0);
        std::vector<GroupSums> ofExpert(experts, all);
        for (std::size_t pair = 0; pair < table.pairs.size(); ++pair) {
            const GroupSums sums = ofPair(pair);
            for (std::size_t group = 0; group < m_groups; ++group) {
                all[group] += sums[group];
                ofExpert[table.pairs[pair].expert][group] += sums[group];
            }
        }
        const double selections = sum(all);
        for (const GroupSums& expert : ofExpert) {
            const double chosen = sum(expert);
            m_ofAll.push_back(withoutExpert(selections, chosen));
            GroupSums without;
            for (std::size_t group = 0; group < m_groups; ++group)
                without.push_back(withoutExpert(selections - all[group], chosen - expert[group]));
            m_without.push_back(std::move(without));
        }
    }

    std::size_t groups() const { return m_groups; }

    /// n(t,e) of a pair.
    GroupSums ofPair(std::size_t pair) const
    {
        GroupSums sums(m_groups, 0);
        for (const GroupCount& count : m_table.groups.of(pair))
            sums[m_place[count.group]] += static_cast<double>(count.count);
        return sums;
    }

    /// The standard error of log2 of a pair's lift; NaN where one of the groups holds all of it. `row`: k·n(t).
    double error(std::size_t pair, const GroupSums& row) const
    {
        const GroupSums together = ofPair(pair);
        const std::uint32_t expert = m_table.pairs[pair].expert;
        const double pairs = sum(together);
        const double rows = sum(row);
        const double whole = m_ofAll[expert] + given(pairs, rows);
        double squares = 0;
        for (std::size_t group = 0; group < m_groups; ++group) {
            const double without = m_without[expert][group] +
                                   (row[group] > 0 ? given(pairs - together[group], rows - row[group]) : given(pairs, rows));
            if (!std::isfinite(without))
                return blank;
            squares += (without - whole) * (without - whole);
        }
        const auto g = static_cast<double>(m_groups);
        return std::sqrt(squares * (g - 1) / g);
    }

    static double sum(const GroupSums& values)
    {
        double result = 0;
        for (const double value : values)
            result += value;
        return result;
    }

private:
    /// log2 of kN/n(e), and of n(t,e)/(k·n(t)), α included.
    double withoutExpert(double selections, double expert) const
    {
        return std::log2((selections + m_onRows * m_table.experts) / (expert + m_onRows));
    }
    double given(double pair, double row) const { return std::log2((pair + m_alpha) / (row + m_onExperts)); }

    const RouterTable& m_table;
    double m_alpha;
    double m_onExperts = 0;
    double m_onRows = 0;
    std::vector<std::size_t> m_place; // [G], among those that hold something
    std::size_t m_groups = 0;
    std::vector<double> m_ofAll;      // [E]
    std::vector<GroupSums> m_without; // [E, groups]
};

/// As many groups as would hold the token if all held alike.
double effectiveGroups(const GroupSums& row)
{
    const double all = GroupedTable::sum(row);
    double squares = 0;
    for (const double value : row)
        squares += value * value;
    return all * all / squares;
}

double expectedOf(const RouterTable& table, const TablePair& pair)
{
    return static_cast<double>(table.rowCounts[pair.row]) * static_cast<double>(table.selections[pair.expert]) /
           static_cast<double>(table.positions);
}

} // namespace

std::int64_t documentsHolding(const RouterTable& table)
{
    const DocumentGroups& groups = table.groups;
    if (groups.empty() || groups.positions.size() != groups.documents.size())
        return table.documents;
    std::int64_t documents = 0;
    for (std::size_t group = 0; group < groups.documents.size(); ++group)
        documents += groups.positions[group] > 0 ? groups.documents[group] : 0;
    return documents;
}

int groupsHolding(const DocumentGroups& groups)
{
    const auto& what = groups.positions.empty() ? groups.documents : groups.positions;
    return static_cast<int>(std::count_if(what.begin(), what.end(), [](std::int64_t value) { return value > 0; }));
}

int fewestGroups(int groups)
{
    return std::max(2, std::min(20, (groups + 1) / 2));
}

std::vector<std::pair<double, double>> groupIntervals(const RouterTable& table, const std::vector<bool>& wanted,
                                                      double alpha, double level, const Progress& progress)
{
    std::vector<std::pair<double, double>> intervals(table.pairs.size(), {blank, blank});
    const GroupedTable grouped(table, alpha);
    for (std::size_t first = 0, last = 0; first < table.pairs.size(); first = last) {
        GroupSums row(grouped.groups(), 0);
        std::vector<std::size_t> listed;
        for (last = first; last < table.pairs.size() && table.pairs[last].row == table.pairs[first].row; ++last) {
            if (wanted[last] && expectedOf(table, table.pairs[last]) >= smallestExpected)
                listed.push_back(last);
            const GroupSums sums = grouped.ofPair(last);
            std::transform(row.begin(), row.end(), sums.begin(), row.begin(), std::plus<>());
        }
        if (listed.empty() || std::count_if(row.begin(), row.end(), [](double sum) { return sum > 0; }) < 2)
            continue;
        progress.at(static_cast<double>(first) / static_cast<double>(table.pairs.size()), "intervals");
        const double degrees = std::clamp(effectiveGroups(row), 1.0, static_cast<double>(grouped.groups()) - 1);
        const double reach = studentReach(degrees, level);
        for (const std::size_t pair : listed) {
            const double error = grouped.error(pair, row);
            if (!std::isfinite(error))
                continue;
            const double k = table.chosen;
            const double rows = static_cast<double>(table.rowsCount());
            const double lift = (static_cast<double>(table.pairs[pair].count) + alpha) *
                                (k * static_cast<double>(table.positions) + alpha * rows * table.experts) /
                                ((k * static_cast<double>(table.rowCounts[table.pairs[pair].row]) + alpha * table.experts) *
                                 (static_cast<double>(table.selections[table.pairs[pair].expert]) + alpha * rows));
            intervals[pair] = {std::log2(lift) - reach * error, std::log2(lift) + reach * error};
        }
    }
    return intervals;
}

} // namespace headscope::core
