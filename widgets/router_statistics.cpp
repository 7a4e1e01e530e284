// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_statistics.h"

#include "core/error.h"
#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope::widgets {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> numbers(std::size_t experts)
{
    std::vector<std::string> names(experts);
    for (std::size_t expert = 0; expert < experts; ++expert)
        names[expert] = std::to_string(expert);
    return names;
}

HeatTable tagTable(const core::RouterTable& table)
{
    HeatTable heat;
    heat.title = QStringLiteral("Rows: tags. Columns: experts.");
    heat.columns = numbers(static_cast<std::size_t>(table.experts));
    const std::vector<core::TagLoad> loads = core::tagLoads(table);
    for (std::size_t tag = 0; tag < loads.size(); ++tag) {
        if (loads[tag].name.empty() && loads[tag].positions == 0)
            continue; // every position has a tag
        heat.rows.push_back(loads[tag].name.empty() ? "(no tag)" : loads[tag].name);
        heat.count.insert(heat.count.end(), table.tags[tag].selections.begin(), table.tags[tag].selections.end());
        heat.share.insert(heat.share.end(), loads[tag].share.begin(), loads[tag].share.end());
        heat.lift.insert(heat.lift.end(), loads[tag].lift.begin(), loads[tag].lift.end());
    }
    return heat;
}

/// lift = n(a,b)·N/(n(a)·n(b)); an expert with itself says nothing.
HeatTable togetherTable(const core::RouterCounts& a, const core::RouterCounts& b, std::span<const std::uint64_t> together,
                        std::uint64_t positions)
{
    HeatTable heat;
    const QString first = QString::fromStdString(a.router.address.toString());
    heat.title = &a == &b ? QStringLiteral("Two experts of %1 at the same position.").arg(first)
                          : QStringLiteral("Rows: experts of %1. Columns: experts of %2.")
                                .arg(first, QString::fromStdString(b.router.address.toString()));
    heat.rows = numbers(a.selections.size());
    heat.columns = numbers(b.selections.size());
    for (std::size_t i = 0; i < a.selections.size(); ++i) {
        for (std::size_t j = 0; j < b.selections.size(); ++j) {
            const std::uint64_t both = together[i * b.selections.size() + j];
            const double expected = static_cast<double>(a.selections[i]) * static_cast<double>(b.selections[j]);
            const bool itself = &a == &b && i == j;
            heat.count.push_back(static_cast<std::int64_t>(both));
            heat.share.push_back(a.selections[i] > 0 ? static_cast<double>(both) / static_cast<double>(a.selections[i])
                                                     : undefined);
            heat.lift.push_back(
                itself || expected <= 0 ? undefined : static_cast<double>(both) * static_cast<double>(positions) / expected);
        }
    }
    return heat;
}

std::vector<HeatTable> togetherTables(const core::Counts& counts, std::size_t router)
{
    std::vector<HeatTable> tables;
    const core::RouterCounts& of = counts.routers[router];
    const std::uint64_t positions = counts.streamOf(of).corpus.positions;
    for (const core::JointCounts& joint : counts.joint)
        if (joint.source == router || joint.destination == router)
            tables.push_back(
                togetherTable(counts.routers[joint.source], counts.routers[joint.destination], joint.together, positions));
    if (of.router.chosen > 1 && of.router.chosen < of.router.experts)
        tables.push_back(togetherTable(of, of, of.together, positions));
    return tables;
}

/// The plan of the table that holds this router.
core::TablePlan planOf(const core::Counts& counts, std::size_t router, core::Pooling pooling)
{
    if (pooling == core::Pooling::None)
        return core::tablePlans(counts, std::span(&router, 1), pooling).front();
    std::vector<std::size_t> all(counts.routers.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (core::TablePlan& plan : core::tablePlans(counts, all, pooling))
        if (std::ranges::find(plan.members, router) != plan.members.end())
            return std::move(plan);
    throw core::Error(
        "This router is in none of the pooled tables; leave the pooling out."); // plans hold every router they are given
}

} // namespace

core::PairSettings StatisticsChoice::pairSettings() const
{
    core::PairSettings settings;
    settings.weighting = weighting;
    settings.minimum = minimum;
    if (!intervals)
        settings.bootstrap.replicates = 0;
    return settings;
}

RouterStatistics routerStatistics(const core::Counts& counts, const core::RouterAddress& router,
                                  const StatisticsChoice& choice, const core::Progress& progress)
{
    const core::RouterCounts* found = counts.find(router);
    if (!found)
        throw core::Error("The router " + router.toString() + " was not counted; choose another one in the router map.");
    const auto index = static_cast<std::size_t>(found - counts.routers.data());
    RouterStatistics result;
    result.router = router;
    result.choice = choice;
    const core::TablePlan plan = planOf(counts, index, choice.pooling);
    progress.at(0.0, "statistics");
    result.table = core::routerTable(counts, plan, core::rowMap(counts, plan.stream, choice.unit, choice.letters));
    progress.at(0.2, "statistics");
    result.summary = core::routerSummary(result.table);
    result.explained = core::decomposition(result.table);
    progress.at(0.4, "statistics");
    result.pairs = core::pairStatistics(result.table, choice.pairSettings(), progress);
    if (!result.table.tags.empty())
        result.tags = tagTable(result.table);
    result.together = togetherTables(counts, index);
    return result;
}

QString rowText(const core::RowName& name, core::RowUnit unit)
{
    if (unit == core::RowUnit::Words)
        return visibleText(name.text);
    core::Token token;
    token.piece = name.text;
    return visiblePiece(token);
}

QString rowText(const RouterStatistics& statistics, std::size_t row)
{
    return rowText((*statistics.table.rows)[row], statistics.choice.unit);
}

} // namespace headscope::widgets
