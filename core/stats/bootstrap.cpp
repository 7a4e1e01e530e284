// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/bootstrap.h"

#include "core/stats/percentiles.h"
#include "core/stats/seeded_random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope::core {

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// How often each group was drawn, [replicates, groups], and what the draws have in sum.
struct Draws {
    std::size_t replicates = 0;
    std::size_t groups = 0;
    std::vector<double> times;     // [groups, replicates]: the replicates of a group lie together
    std::vector<double> positions; // [replicates], N
    std::vector<double> experts;   // [E, replicates], n(e)
};

/// Sums over groups of one row of a table, [groups].
using GroupSums = std::vector<double>;

std::vector<double> drawn(const Draws& draws, const GroupSums& sums)
{
    std::vector<double> result(draws.replicates, 0);
    for (std::size_t group = 0; group < draws.groups; ++group) {
        if (sums[group] == 0)
            continue;
        const double* const times = &draws.times[group * draws.replicates];
        for (std::size_t replicate = 0; replicate < draws.replicates; ++replicate)
            result[replicate] += times[replicate] * sums[group];
    }
    return result;
}

Draws draw(const RouterTable& table, const BootstrapSettings& settings)
{
    Draws draws;
    draws.replicates = static_cast<std::size_t>(settings.replicates);
    draws.groups = static_cast<std::size_t>(table.groups.groups);
    draws.times.assign(draws.groups * draws.replicates, 0);
    std::vector<std::size_t> filled; // a group without documents is none
    for (std::size_t group = 0; group < draws.groups; ++group) {
        if (table.groups.documents[group] > 0)
            filled.push_back(group);
    }
    SeededRandom random(settings.seed);
    for (std::size_t replicate = 0; replicate < draws.replicates; ++replicate) {
        for (std::size_t i = 0; i < filled.size(); ++i)
            draws.times[filled[static_cast<std::size_t>(random.below(filled.size()))] * draws.replicates + replicate] += 1;
    }
    GroupSums all(draws.groups, 0);
    std::vector<GroupSums> experts(static_cast<std::size_t>(table.experts), GroupSums(draws.groups, 0));
    for (std::size_t pair = 0; pair < table.pairs.size(); ++pair) {
        for (const GroupCount& count : table.groups.of(pair)) {
            all[count.group] += static_cast<double>(count.count);
            experts[table.pairs[pair].expert][count.group] += static_cast<double>(count.count);
        }
    }
    for (double& sum : all)
        sum /= table.chosen;
    draws.positions = drawn(draws, all);
    for (const GroupSums& expert : experts) {
        const std::vector<double> sums = drawn(draws, expert);
        draws.experts.insert(draws.experts.end(), sums.begin(), sums.end());
    }
    return draws;
}

double logOrBlank(double lift)
{
    return lift > 0 ? std::log2(lift) : blank;
}

} // namespace

std::vector<std::pair<double, double>> bootstrapIntervals(const RouterTable& table, const std::vector<bool>& wanted,
                                                          double alpha, const BootstrapSettings& settings,
                                                          const Progress& progress)
{
    std::vector<std::pair<double, double>> intervals(table.pairs.size(), {blank, blank});
    const Draws draws = draw(table, settings);
    const double k = table.chosen;
    const double onExperts = alpha * table.experts;
    const double onRows = alpha * static_cast<double>(table.rowsCount());
    const double onAll = onRows * table.experts;
    for (std::size_t first = 0, last = 0; first < table.pairs.size(); first = last) {
        GroupSums rowSums(draws.groups, 0);
        bool any = false;
        for (last = first; last < table.pairs.size() && table.pairs[last].row == table.pairs[first].row; ++last) {
            any = any || wanted[last];
            for (const GroupCount& count : table.groups.of(last))
                rowSums[count.group] += static_cast<double>(count.count) / k;
        }
        if (!any || std::count_if(rowSums.begin(), rowSums.end(), [](double sum) { return sum > 0; }) < 2)
            continue;
        progress.at(static_cast<double>(first) / static_cast<double>(table.pairs.size()), "intervals");
        const std::vector<double> rows = drawn(draws, rowSums);
        for (std::size_t pair = first; pair < last; ++pair) {
            if (!wanted[pair])
                continue;
            GroupSums sums(draws.groups, 0);
            for (const GroupCount& count : table.groups.of(pair))
                sums[count.group] = static_cast<double>(count.count);
            const std::vector<double> together = drawn(draws, sums);
            const double* const expert = &draws.experts[table.pairs[pair].expert * draws.replicates];
            std::vector<double> lifts;
            for (std::size_t r = 0; r < draws.replicates; ++r) {
                if (rows[r] > 0.5 && expert[r] > 0.5)
                    lifts.push_back((together[r] + alpha) * (k * draws.positions[r] + onAll) /
                                    ((k * rows[r] + onExperts) * (expert[r] + onRows)));
            }
            const auto [low, high] = middleOf(std::move(lifts), settings.level);
            intervals[pair] = {logOrBlank(low), logOrBlank(high)};
        }
    }
    return intervals;
}

} // namespace headscope::core
